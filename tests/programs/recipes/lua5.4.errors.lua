-- Lua code that fails: `lua errors.lua HOW`. Errors are longjmps through the interpreter's own frames, in every depth and out of every kind of
-- call that C makes into Lua. No address is printed.
local function throw(depth, what)
  if depth == 0 then error(what, 0) end
  return 1 + throw(depth - 1, what)
end
local function deep(n, f, ...) if n == 0 then return f(...) end local r = deep(n - 1, f, ...) return r end

local how = {}

function how.all()
  local caught = 0
  for i = 1, 10000 do
    local ok = pcall(throw, i % 13, "thrown")
    caught = caught + (ok and 0 or 1)
  end
  print("caught", caught)
  -- Through functions of the library that call back.
  local function cut(s) if s == "c" then error("cut", 0) end return s end
  print(pcall(string.gsub, "abcabc", "%a", cut))
  print(pcall(table.sort, { 3, 1, 2, 5, 4 }, function(a, b) if a == 5 or b == 5 then error("sort", 0) end return a < b end))
  print(pcall(table.sort, { 3, 1, 2, 5, 4 }, function() return true end))
  print(pcall(load, function() error("load", 0) end))
  print(pcall(function() for _ in function() error("iterator", 0) end do end end))
  local guarded = setmetatable({}, {
    __index = function(_, key) error("index " .. key, 0) end,
    __add = function() throw(3, "add") end,
    __eq = function() throw(3, "equal") end,
    __lt = function() throw(3, "less") end,
    __concat = function() throw(3, "concat") end,
    __len = function() throw(3, "length") end,
    __tostring = function() throw(3, "tostring") end,
  })
  print(pcall(function() return guarded.x end))
  print(pcall(function() return guarded + 1 end))
  print(pcall(function() return guarded == setmetatable({}, getmetatable(guarded)) end))
  print(pcall(function() return guarded < guarded end))
  print(pcall(function() return guarded .. "" end))
  print(pcall(function() return #guarded end))
  print(pcall(tostring, guarded))
  -- Errors of the interpreter itself.
  for _, text in ipairs { "local a; a.b = 1", "return 1 + {}", "return 1 < 'x'", "return #5", "return 1 // 0", "return ('x')()", "for i = 1, 10, 0 do end",
    "return string.rep('x', 1 << 62, ',')", "return ('x'):rep(1 << 50)", "string.format('%d', 1.5)", "goto nowhere", "return load('x =')()", "error()",
    "return math.random(0, -1)", "return setmetatable(1, {})", "return string.char(300)", "return ('a'):find('[a')", "return ('a'):find('%')" } do
    print(pcall(function() return assert(load(text, "=text"))() end))
  end
  -- Protected calls within protected calls, handlers, errors in handlers.
  local function nested(n) if n == 0 then error("bottom", 0) end local _, what = pcall(nested, n - 1) error(what .. n % 10, 0) end
  print(pcall(nested, 30))
  print(xpcall(throw, function(what) return "handled " .. what end, 5, "error"))
  print((xpcall(throw, function() error("again", 0) end, 5, "error")))
  print((pcall(function() local function f() return 1 + f() end return f() end)))
  print((pcall(function() local function f() return pcall(f) end return select(2, f()) end)))
  print((pcall(string.rep, "x", -1)), (pcall(string.gsub, ("a"):rep(300000), ("a?"):rep(300) .. "b", "")))
  -- Coroutines that end in errors, are left suspended, closed, or yield across protected calls.
  local sum = 0
  for i = 1, 2000 do
    local co = coroutine.create(function(a)
      local b = coroutine.yield(a + 1)
      local ok, c = pcall(function() return coroutine.yield(b) + throw(b % 7, "inner") end)
      if i % 3 == 0 then error(tostring(c), 0) end
      if i % 3 == 1 then coroutine.yield(ok) end
      return deep(i % 11, coroutine.yield, 1)
    end)
    coroutine.resume(co, i)
    coroutine.resume(co, i)
    local ok, what = coroutine.resume(co, i)
    sum = sum + (ok and 1 or #what)
    if i % 5 == 0 then sum = sum + (coroutine.close(co) and 1 or 3) end
  end
  print("coroutines", sum)
  print(coroutine.resume(coroutine.wrap(function() end) and coroutine.create(function() coroutine.wrap(throw)(4, "wrapped") end)))
  print(pcall(coroutine.wrap(function() local x <close> = setmetatable({}, { __close = function() error("close", 0) end }) error("first", 0) end)))
  print(pcall(function() table.sort({ 1, 2, 3 }, coroutine.yield) end))
  collectgarbage()
end

function how.uncaught() deep(20, throw, 10, "uncaught") end
function how.object() deep(5, error, setmetatable({}, { __tostring = function() return "an object" end })) end
function how.nothing() deep(5, error, nil) end
function how.coroutine() coroutine.wrap(function() deep(9, coroutine.wrap(function() throw(9, "in coroutines") end)) end)() end
function how.handler() print(xpcall(throw, function(what) os.exit(9) end, 20, "error")) end
function how.closing()
  local a <close> = setmetatable({}, { __close = function(_, what) error("closing after " .. what, 0) end })
  deep(8, throw, 8, "first")
end
function how.overflow() local function f(n) return 1 + f(n + 1) end return f(1) end
function how.unpack() return deep(6, table.unpack, {}, 1, 1e7) end
function how.exit() pcall(string.gsub, "abc", "b", function() deep(50, pcall, table.sort, { 2, 1 }, function() io.write("leaving\n") os.exit(5) end) end) end
function how.exit_closing() deep(12, pcall, function() os.exit(false, true) end) end
function how.exit_in_coroutine() coroutine.wrap(function() deep(7, coroutine.wrap(function() pcall(deep, 7, os.exit, 6) end)) end)() end
function how.exit_in_collector()
  setmetatable({}, { __gc = function() deep(4, os.exit, 8) end })
  for i = 1, 10 do deep(i, collectgarbage) end
end
function how.child() deep(15, pcall, function() os.execute("kill -TERM $PPID") print("alive") end) end
function how.child_abort() for i = 1, 5 do deep(i, pcall, function() if i == 4 then os.execute("kill -ABRT $PPID") end end) end end
function how.read() local n = 0 while deep(n % 5, pcall, function() n = n + 1 print(assert(io.read())) io.flush() end) do end os.exit(4) end
function how.busy()
  local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end
  for i = 1, math.huge do
    pcall(throw, i % 20, "busy")
    local _ = fib(i % 12), ("abc"):rep(i % 9):gsub("b", "xx"), coroutine.wrap(function() coroutine.yield(i) end)()
  end
end

how[arg[1]:gsub("-", "_")]()
