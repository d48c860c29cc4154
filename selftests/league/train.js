// SPDX-License-Identifier: GPL-2.0-only
// What MuJS is trained on: words, a sieve, sorting, objects.
var seed = 42;
function random(n) {
	seed = (seed * 1103 + 12345) % 2147483;
	return seed % n;
}

function sieve(n) {
	var composite = [], count = 0, i, k;
	for (i = 2; i < n; ++i) {
		if (composite[i])
			continue;
		++count;
		for (k = 2 * i; k < n; k += i)
			composite[k] = true;
	}
	return count;
}

function words(n) {
	var text = "", count = {}, list = [], i, k;
	for (i = 0; i < n; ++i) {
		for (k = 0; k < 2 + random(3); ++k)
			text += "abcdef".charAt(random(6));
		text += " ";
		if (text.length > 200) {
			text.split(" ").forEach(function (word) {
				count[word] = (count[word] || 0) + 1;
			});
			text = "";
		}
	}
	for (i in count)
		list.push(i);
	list.sort(function (a, b) { return count[b] - count[a] || (a < b ? -1 : a > b ? 1 : 0); });
	return list[0] + " " + list.length;
}

function Account(sum) {
	this.sum = sum;
	this.moves = 0;
}
Account.prototype.move = function (n) {
	this.sum += n;
	++this.moves;
};

function bank(n) {
	var all = [], moves = 0, i, from, to, sum;
	for (i = 0; i < 20; ++i)
		all.push(new Account(100));
	for (i = 0; i < n; ++i) {
		from = all[random(20)];
		to = all[random(20)];
		sum = random(10);
		if (from.sum >= sum) {
			from.move(-sum);
			to.move(sum);
		}
	}
	for (i = 0; i < 20; ++i)
		moves += all[i].moves;
	return moves;
}

print(sieve(15000));
print(words(2500));
print(bank(12000));
