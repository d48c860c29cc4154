-- SPDX-License-Identifier: GPL-2.0-only
-- What SQLite is judged on: a path through a graph, windows, text, views, a trigger.
CREATE TABLE edge(a INTEGER, b INTEGER, weight INTEGER, PRIMARY KEY(a, b)) WITHOUT ROWID;
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
INSERT OR IGNORE INTO edge SELECT i % 300, (i / 300 * 37 + i * 17 + 5) % 300, i % 13 + 1 FROM n;
WITH RECURSIVE reach(x, steps) AS (
	SELECT 7, 0 UNION SELECT b, steps + 1 FROM reach JOIN edge ON a = x WHERE steps < 7)
SELECT count(DISTINCT x), sum(steps) FROM reach;
CREATE TABLE note(id INTEGER PRIMARY KEY, body TEXT, length INTEGER);
CREATE TRIGGER measure AFTER INSERT ON note BEGIN
	UPDATE note SET length = length(new.body) WHERE id = new.id;
END;
INSERT INTO note(body) SELECT printf('%s-%04x', hex(a * 7), b * weight) FROM edge;
CREATE VIEW longest AS SELECT substr(body, 1, 3) AS start, max(length) AS m, count(*) AS c
FROM note GROUP BY start;
SELECT * FROM longest WHERE start BETWEEN '31' AND '33' ORDER BY c DESC, start LIMIT 9;
SELECT a, total FROM (SELECT a, sum(weight) OVER (PARTITION BY a ORDER BY b) AS total,
	row_number() OVER (PARTITION BY a ORDER BY weight DESC, b) AS nr FROM edge)
WHERE nr = 3 ORDER BY total DESC, a LIMIT 7;
SELECT count(*) FROM note WHERE replace(upper(body), '3', '') GLOB '*F*0*';
SELECT json_group_array(a) FROM (SELECT DISTINCT a FROM edge WHERE weight = 5 ORDER BY a LIMIT 9);
