-- Work for sqlite: inserts, an index, joins, groups, recursive queries, updates, text functions. Deterministic: no random(), no clock.
CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT, price REAL, kind INTEGER);
CREATE TABLE sale(item INTEGER, day INTEGER, amount INTEGER);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12000)
  INSERT INTO item SELECT i, printf('item-%06d', i * 7919 % 100003), (i * 37 % 1000) / 10.0, i % 17 FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40000)
  INSERT INTO sale SELECT i * 7919 % 12000 + 1, i % 365, i * i % 11 FROM n;
CREATE INDEX sale_item ON sale(item);
CREATE INDEX item_name ON item(name);
SELECT kind, count(*), round(sum(price * amount), 2), max(day) FROM item JOIN sale ON sale.item = item.id GROUP BY kind ORDER BY 3 DESC;
SELECT name FROM item WHERE name LIKE '%9_1%' ORDER BY name DESC LIMIT 20;
UPDATE item SET price = price * 1.1 WHERE id IN (SELECT item FROM sale WHERE amount > 8);
DELETE FROM sale WHERE day BETWEEN 100 AND 130;
SELECT day / 30, count(*), avg(amount) FROM sale GROUP BY 1 HAVING count(*) > 10;
SELECT upper(substr(name, 1, 4)) || hex(id), length(name), instr(name, '7') FROM item WHERE id % 311 = 0;
WITH RECURSIVE fact(i, f) AS (SELECT 1, 1 UNION ALL SELECT i + 1, f * (i + 1) FROM fact WHERE i < 15) SELECT * FROM fact;
SELECT a.kind, b.kind, count(*) FROM item a JOIN item b ON a.price = b.price AND a.id < b.id GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2 LIMIT 10;
SELECT group_concat(name, ',') FROM (SELECT name FROM item ORDER BY name LIMIT 50);
PRAGMA integrity_check;
