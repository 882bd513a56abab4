-- A file of conversations as schema version 1 had it: "sqlite3 FILE .dump" of one that Headroom 0.1.0 wrote through
-- ConversationDatabase (saveHead, saveTurn, chooseVersion, setRemoved), before it had an index for searches.
CREATE TABLE conversations(id TEXT PRIMARY KEY, title TEXT NOT NULL, system_prompt TEXT NOT NULL, created_ms INTEGER
  NOT NULL, updated_ms INTEGER NOT NULL, removed INTEGER NOT NULL DEFAULT 0) STRICT;
INSERT INTO conversations VALUES('c-1','Über Ärger & Straßen','Be brief',100,105,0);
INSERT INTO conversations VALUES('c-2','Καλημέρα','',200,205,0);
INSERT INTO conversations VALUES('c-3','Deleted','',300,305,1);
CREATE TABLE turns(id TEXT PRIMARY KEY, conversation_id TEXT NOT NULL REFERENCES conversations(id) ON DELETE
  CASCADE, parent_id TEXT NOT NULL, role INTEGER NOT NULL, text TEXT NOT NULL, attachments TEXT NOT NULL, state
  INTEGER NOT NULL, active INTEGER NOT NULL, cut_before INTEGER NOT NULL, summary TEXT NOT NULL, model_name TEXT NOT
  NULL, generated_tokens INTEGER NOT NULL, decode_seconds REAL NOT NULL, seed INTEGER NOT NULL, created_ms INTEGER NOT
  NULL) STRICT;
INSERT INTO turns VALUES('t-1','c-1','',0,'Was macht der Ärger auf der Straße?',
  '[{"name":"a \"b\".txt","text":"line one\nline ''two''"}]',0,1,0,'','',0,0.0,0,1000);
INSERT INTO turns VALUES('t-2','c-1','t-1',1,replace('Der ÄRGER\nwächst; it''s 100 % "full".','\n',char(10)),'[]',
  3,1,0,'','tiny',3,0.25,-16,1000);
INSERT INTO turns VALUES('t-3','c-1','t-1',1,'Second version','[]',0,0,0,'','tiny',3,0.25,-16,1000);
INSERT INTO turns VALUES('t-4','c-1','t-3',0,'','[{"name":"a \"b\".txt","text":"line one\nline ''two''"}]',0,1,0,
  '','',0,0.0,0,1000);
INSERT INTO turns VALUES('t-5','c-2','',0,'Привет, МИР','[{"name":"a \"b\".txt","text":"line one\nline ''two''"}]',
  0,1,0,'','',0,0.0,0,1000);
INSERT INTO turns VALUES('t-6','c-2','t-5',1,'这个模型需要多少内存','[]',1,1,0,'','tiny',3,0.25,-16,1000);
INSERT INTO turns VALUES('t-7','c-3','',0,'gone words','[{"name":"a \"b\".txt","text":"line one\nline ''two''"}]',
  0,1,0,'','',0,0.0,0,1000);
CREATE INDEX turns_of ON turns(conversation_id, parent_id);
PRAGMA user_version=1;
