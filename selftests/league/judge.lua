-- SPDX-License-Identifier: GPL-2.0-only
-- What Lua is judged on: queens, matrices, text, closures, coroutines.
local function queens(n)
	local found, columns, up, down = 0, {}, {}, {}
	local function place(row)
		if row > n then
			found = found + 1
			return
		end
		for c = 1, n do
			if not columns[c] and not up[row + c] and not down[row - c + n] then
				columns[c], up[row + c], down[row - c + n] = true, true, true
				place(row + 1)
				columns[c], up[row + c], down[row - c + n] = nil, nil, nil
			end
		end
	end
	place(1)
	return found
end

local function matrix(n, f)
	local m = {}
	for i = 1, n do
		m[i] = {}
		for k = 1, n do m[i][k] = f(i, k) end
	end
	return m
end

local function product(a, b)
	local n = #a
	return matrix(n, function(i, k)
		local sum, row = 0.0, a[i]
		for j = 1, n do sum = sum + row[j] * b[j][k] end
		return sum
	end)
end

local function text(n)
	local lines = {}
	for i = 1, n do
		lines[i] = ("%05d;name-%x;%.2f"):format(i, i * 7919 % 4096, i / 7)
	end
	local sum, longest = 0, ""
	for _, line in ipairs(lines) do
		local number, name, value = line:match("^(%d+);([%w-]+);([%d.]+)$")
		sum = sum + tonumber(number) + tonumber(value)
		name = name:gsub("%d", function(d) return d .. d end):upper()
		if #name > #longest then longest = name end
	end
	return ("%.3f"):format(sum), longest
end

local function trees(depth)
	local function grow(d) return d > 0 and { grow(d - 1), grow(d - 1) } or {} end
	local function leaves(tree)
		if not tree[1] then
			coroutine.yield(1)
			return
		end
		leaves(tree[1])
		leaves(tree[2])
	end
	local count = 0
	for n in coroutine.wrap(function() leaves(grow(depth)) end) do count = count + n end
	return count
end

print(queens(7))
local m = product(matrix(36, function(i, k) return i - k end),
	matrix(36, function(i, k) return 1 / (i + k) end))
print(("%.6f"):format(m[3][7] + m[30][2]))
print(text(3000))
print(trees(12))
