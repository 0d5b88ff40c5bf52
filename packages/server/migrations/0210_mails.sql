-- E-mails to payers. A row is written in the unit of work of the change that the e-mail is about, and sent by background
-- work after the commit. At most one e-mail exists for each kind, object and step.

create table mails (
  workspace_id uuid not null,
  id           uuid not null,
  kind         text not null,
  -- What the e-mail is about. The kind of the e-mail determines the kind of the object.
  object_id    uuid not null,
  -- Distinguishes e-mails of one kind about one object, such as the failed attempts of an invoice.
  step         int not null check (step >= 0),
  customer_id  uuid,
  recipient    text not null check (length(recipient) between 3 and 320),
  locale       text,
  -- The values that the template shows.
  facts        json not null,
  status       text not null check (status in ('pending', 'sent', 'not_sent', 'failed')),
  -- Why it was not sent, or why the last attempt failed.
  reason       text,
  -- The first attempt. It is repeated for three days.
  send_at      timestamptz not null,
  attempts     int not null default 0 check (attempts >= 0),
  -- An attempt has started, and its result is not recorded.
  sending      boolean not null default false,
  -- Attempts after which it is unknown whether the mail server has the e-mail.
  unknowns     int not null default 0 check (unknowns between 0 and 2),
  due_at       timestamptz,
  sent_at      timestamptz,
  created_at   timestamptz not null,
  updated_at   timestamptz not null,
  version      int not null default 1,
  primary key (workspace_id, id),
  constraint one_mail_per_step unique (workspace_id, kind, object_id, step),
  constraint pending_is_due check ((status = 'pending') = (due_at is not null)),
  constraint sent_has_a_time check ((status = 'sent') = (sent_at is not null)),
  constraint sends_while_pending check (not sending or status = 'pending')
);
create index mails_due on mails (due_at) where due_at is not null;
create index mails_of_customer on mails (workspace_id, customer_id, id) where customer_id is not null;

create table mail_settings (
  workspace_id uuid primary key,
  sender_name  text check (length(sender_name) between 1 and 100),
  reply_to     text check (length(reply_to) between 3 and 320),
  -- The kinds that are switched on or off; other kinds have their default.
  kinds        jsonb not null default '{}',
  updated_at   timestamptz not null,
  version      int not null default 1
);

-- Live workspaces that exist before this version may already e-mail their customers about failed payments.
insert into mail_settings (workspace_id, kinds, updated_at)
  select workspace_id, '{"payment_failed": false, "action_required": false}', now() from workspaces where mode = 'live';

do $$
declare
  name text;
begin
  foreach name in array array['mails', 'mail_settings'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format('create policy own_workspace on %I to switchyard_app
      using (workspace_id = current_workspace()) with check (workspace_id = current_workspace())', name);
  end loop;
end
$$;
create policy due_anywhere on mails for select to switchyard_due using (true);
grant select, insert, update on mails to switchyard_app;
grant select, insert, update on mail_settings to switchyard_app;
grant select (workspace_id, id, due_at) on mails to switchyard_due;
