// SPDX-License-Identifier: GPL-2.0-only
// What MuJS is judged on: queens, matrices, text by regular expressions, closures.
function queens(n) {
	var found = 0, columns = [], up = [], down = [];
	function place(row) {
		var c;
		if (row === n) {
			++found;
			return;
		}
		for (c = 0; c < n; ++c) {
			if (columns[c] || up[row + c] || down[row - c + n])
				continue;
			columns[c] = up[row + c] = down[row - c + n] = true;
			place(row + 1);
			columns[c] = up[row + c] = down[row - c + n] = false;
		}
	}
	place(0);
	return found;
}

function matrix(n, f) {
	var m = [], i, k;
	for (i = 0; i < n; ++i) {
		m[i] = [];
		for (k = 0; k < n; ++k)
			m[i][k] = f(i, k);
	}
	return m;
}

function product(a, b) {
	return matrix(a.length, function (i, k) {
		var sum = 0, j;
		for (j = 0; j < a.length; ++j)
			sum += a[i][j] * b[j][k];
		return sum;
	});
}

function text(n) {
	var sum = 0, longest = "", i, parts, name;
	for (i = 0; i < n; ++i) {
		parts = (i + ";name-" + (i * 7919 % 4096).toString(16) + ";" + i / 7)
			.match(/^(\d+);([a-z0-9-]+);([0-9.]+)$/);
		sum += Number(parts[1]) + parseFloat(parts[3]);
		name = parts[2].replace(/[0-9]/g, "#").toUpperCase();
		if (name.length > longest.length)
			longest = name;
	}
	return sum.toFixed(3) + " " + longest;
}

function adders(n) {
	var list = [], sum = 0, i;
	function adder(k) {
		return function (x) { return x + k; };
	}
	for (i = 0; i < n; ++i)
		list.push(adder(i));
	list.forEach(function (f) { sum = f(sum) % 1000; });
	return sum;
}

print(queens(6));
var m = product(matrix(20, function (i, k) { return i - k; }),
	matrix(20, function (i, k) { return 1 / (i + k + 1); }));
print((m[3][7] + m[15][2]).toFixed(6));
print(text(800));
print(adders(3000));
print(JSON.stringify(JSON.parse('{"a":[1,2,{"b":"c"}],"d":null}')));
