-- Statements that fail, between some that do not. Run without -bail all of it is executed.
CREATE TABLE a(id INTEGER PRIMARY KEY, u TEXT UNIQUE, n INTEGER NOT NULL, c INTEGER CHECK (c > 0));
CREATE TABLE b(a INTEGER REFERENCES a(id) DEFERRABLE INITIALLY DEFERRED);
PRAGMA foreign_keys = ON;
INSERT INTO a VALUES (1, 'x', 1, 1), (2, 'y', 2, 2);
INSERT INTO a VALUES (3, 'z', 3, 3), (1, 'w', 4, 4);
INSERT INTO a VALUES (4, 'x', 1, 1);
INSERT INTO a VALUES (5, 'v', NULL, 1);
INSERT INTO a VALUES (6, 'v', 1, -1);
INSERT INTO b VALUES (99);
BEGIN; INSERT INTO b VALUES (99); COMMIT; ROLLBACK;
SELECT nothing FROM a;
SELECT * FROM nowhere;
SELECT 1 +;
SELECT nosuchfunction(1);
SELECT abs(-9223372036854775808);
SELECT sum(n) FROM (SELECT 9223372036854775807 AS n UNION ALL SELECT 1);
SELECT json('{"a":');
SELECT zeroblob(3000000000);
SELECT 1 UNION SELECT 2, 3;
SELECT (SELECT 1, 2);
SELECT group_concat(n, u, c) FROM a;
SELECT * FROM a ORDER BY 9;
SELECT x'1';
SELECT 'abc' LIKE 'a' ESCAPE 'xx';
INSERT INTO a(id, u) SELECT 1;
CREATE TABLE a(x);
CREATE INDEX i ON a(nothing);
CREATE TRIGGER t BEFORE DELETE ON a BEGIN SELECT CASE WHEN old.id = 2 THEN RAISE(ABORT, 'not this one') END; END;
CREATE TRIGGER r AFTER UPDATE ON a BEGIN UPDATE a SET n = n + 1 WHERE id = new.id; INSERT INTO b VALUES (new.nothing); END;
DELETE FROM a;
UPDATE a SET n = NULL;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000) INSERT INTO a SELECT 100 + i, 'u' || (i % 4999), i, i FROM n;
CREATE VIEW v AS SELECT * FROM v2; CREATE VIEW v2 AS SELECT * FROM v;
SELECT * FROM v;
ATTACH 'nowhere/file.db' AS other;
RELEASE s;
PRAGMA recursive_triggers = ON;
CREATE TABLE deep(n); CREATE TRIGGER d AFTER INSERT ON deep BEGIN INSERT INTO deep VALUES (new.n + 1); END;
INSERT INTO deep VALUES (1);
.nonsense
.read nowhere.sql
.import nowhere.csv a
.mode nonsense
.open nowhere/file.db
SELECT count(*) FROM a;
SELECT "unfinished
