-- Work for the lua interpreter: numbers, tables, strings, closures, coroutines and errors. Strings that were hashed are never walked in hash
-- order, so that the output does not depend on addresses.
local function sieve(n)
  local composite, count = {}, 0
  for i = 2, n do
    if not composite[i] then
      count = count + 1
      for j = i * i, n, i do composite[j] = true end
    end
  end
  return count
end

local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end

local function queens(n)
  local solutions, column, up, down = 0, {}, {}, {}
  local function place(row)
    if row > n then solutions = solutions + 1 return end
    for c = 1, n do
      if not (column[c] or up[row + c] or down[row - c + n]) then
        column[c], up[row + c], down[row - c + n] = true, true, true
        place(row + 1)
        column[c], up[row + c], down[row - c + n] = false, false, false
      end
    end
  end
  place(1)
  return solutions
end

local function words()
  local seed, list = 42, {}
  for i = 1, 15000 do
    seed = (seed * 1103515245 + 12345) % 2147483648
    list[i] = string.format("%s-%05d", ({ "alpha", "beta", "gamma" })[seed // 65536 % 3 + 1], seed // 1024 % 100000)
  end
  table.sort(list)
  local text = table.concat(list, " ")
  local sum = 0
  for name, number in text:gmatch("(%a+)%-(%d+)") do sum = sum + #name * tonumber(number) end
  return sum, #text:gsub("alpha", "ALPHA"), text:find("gamma%-9")
end

local function throw(depth)
  if depth == 0 then error({ code = 7 }) end
  return 1 + throw(depth - 1)
end

local function errors(n)
  local caught = 0
  for i = 1, n do
    local ok, what = pcall(throw, i % 9)
    if not ok and what.code == 7 then caught = caught + 1 end
  end
  return caught
end

local function producers(n)
  local co = coroutine.wrap(function() for i = 1, n do coroutine.yield(i) end return -1 end)
  local sum = 0
  for v in co do if v < 0 then break end sum = sum + v end
  return sum
end

print(sieve(300000), fib(25), queens(8))
print(words())
print(errors(20000), producers(50000))
