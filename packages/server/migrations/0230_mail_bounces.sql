-- E-mails that could not be delivered, or that their recipient marked as spam.
alter table mails
  drop constraint mails_status_check,
  drop constraint sent_has_a_time,
  add constraint known_status
    check (status in ('pending', 'sent', 'not_sent', 'failed', 'bounced', 'complained')) not valid,
  add constraint sent_has_a_time check (status <> 'sent' or sent_at is not null) not valid,
  add constraint unsent_has_no_time check (sent_at is null or status in ('sent', 'bounced', 'complained')) not valid,
  add column bounced_at timestamptz,
  -- What the receiving mail server said.
  add column bounce_detail text,
  add column sequence int not null default 0,
  add constraint bounced_has_a_time check ((status in ('bounced', 'complained')) = (bounced_at is not null)) not valid,
  add constraint short_bounce_detail check (length(bounce_detail) <= 500) not valid;

-- The addresses to which a workspace sends no further e-mails.
create table mail_bounces (
  workspace_id uuid not null,
  -- In lower case.
  address_key  text not null check (address_key = lower(address_key)),
  status       text not null check (status in ('bounced', 'complained')),
  -- The customer to whom the e-mail was sent, if any.
  customer_id  uuid,
  bounced_at   timestamptz not null,
  primary key (workspace_id, address_key)
);
create index mail_bounces_of_customers on mail_bounces (workspace_id, bounced_at) where customer_id is not null;
alter table mail_bounces enable row level security;
alter table mail_bounces force row level security;
create policy own_workspace on mail_bounces to switchyard_app
  using (workspace_id = current_workspace()) with check (workspace_id = current_workspace());
grant select, insert, delete on mail_bounces to switchyard_app;
