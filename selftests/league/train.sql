-- SPDX-License-Identifier: GPL-2.0-only
-- What SQLite is trained on: rows put in, an index, groups, a join.
CREATE TABLE item(id INTEGER PRIMARY KEY, kind INTEGER, name TEXT, price REAL);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 15000)
INSERT INTO item SELECT i, i * 7919 % 37, 'item ' || (i * 31 % 977), i * 0.25 FROM n;
CREATE INDEX item_kind ON item(kind);
CREATE TABLE kind(id INTEGER PRIMARY KEY, title TEXT);
INSERT INTO kind SELECT DISTINCT kind, 'kind ' || kind FROM item;
SELECT title, count(*), round(sum(price), 2) FROM item JOIN kind ON kind.id = item.kind
GROUP BY kind ORDER BY 3 DESC LIMIT 5;
SELECT count(*) FROM item WHERE name LIKE '%9%' AND price > 100;
UPDATE item SET price = price * 1.1 WHERE kind IN (3, 5, 8);
DELETE FROM item WHERE id % 11 = 0;
SELECT name, max(price) FROM item GROUP BY name HAVING count(*) > 3 ORDER BY name LIMIT 9;
