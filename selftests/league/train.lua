-- SPDX-License-Identifier: GPL-2.0-only
-- What Lua is trained on: words, a sieve, sorting, an object's methods.
local seed = 42
local function random(n)
	seed = (seed * 1103515245 + 12345) % 2147483648
	return seed // 65536 % n
end

local function sieve(n)
	local composite, count = {}, 0
	for i = 2, n do
		if not composite[i] then
			count = count + 1
			for k = i * i, n, i do composite[k] = true end
		end
	end
	return count
end

local function words(n)
	local count, text = {}, {}
	for i = 1, n do
		local word = {}
		for k = 1, 2 + random(3) do word[k] = string.char(97 + random(6)) end
		text[i] = table.concat(word)
	end
	for word in table.concat(text, " "):gmatch("%a+") do
		count[word] = (count[word] or 0) + 1
	end
	local list = {}
	for word in pairs(count) do list[#list + 1] = word end
	table.sort(list, function(a, b)
		if count[a] ~= count[b] then return count[a] > count[b] end
		return a < b
	end)
	return list[1], list[#list], #list
end

local Account = {}
Account.__index = Account
function Account.new(sum) return setmetatable({ sum = sum, moves = 0 }, Account) end
function Account:move(n)
	self.sum = self.sum + n
	self.moves = self.moves + 1
	return self
end

local function bank(n)
	local all = {}
	for i = 1, 20 do all[i] = Account.new(100) end
	for _ = 1, n do
		local from, to = all[1 + random(20)], all[1 + random(20)]
		local sum = random(10)
		if from.sum >= sum then
			from:move(-sum)
			to:move(sum)
		end
	end
	local moves = 0
	for _, account in ipairs(all) do moves = moves + account.moves end
	return moves
end

print(sieve(30000))
print(words(6000))
print(bank(20000))
