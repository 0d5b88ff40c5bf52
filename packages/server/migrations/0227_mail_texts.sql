-- A workspace can replace the subject and the first paragraph of each kind of e-mail, by language:
-- {"receipt": {"de": {"subject": "…", "body": "…"}}}.
alter table mail_settings
  add column texts jsonb not null default '{}',
  add constraint texts_of_kinds
    check (jsonb_typeof(texts) = 'object' and octet_length(texts::text) <= 600000) not valid;

-- E-mails that have ended are deleted 400 days after their last change.
grant delete on mails to switchyard_app;
grant select (updated_at) on mails to switchyard_due;
