-- E-mails that could not be delivered, or that their recipient marked as spam. No further e-mails are sent to the address.
-- `mails` is new in the same release, so it is small.
alter table mails
  drop constraint mails_status_check,
  drop constraint sent_has_a_time,
  add constraint known_status check (status in ('pending', 'sent', 'not_sent', 'failed', 'bounced', 'complained')),
  add constraint sent_has_a_time check (status <> 'sent' or sent_at is not null),
  add constraint unsent_has_no_time check (sent_at is null or status in ('sent', 'bounced', 'complained')),
  add column bounced_at timestamptz,
  -- What the receiving mail server said.
  add column bounce_detail text check (length(bounce_detail) <= 500),
  add column sequence int not null default 0,
  add constraint bounced_has_a_time check ((status in ('bounced', 'complained')) = (bounced_at is not null));
create index mails_bounced on mails (workspace_id, lower(recipient)) where bounced_at is not null;

-- Null: no problem is known. A change of the address resets it.
alter table customers
  add column email_status text,
  add constraint known_email_status check (email_status in ('bounced', 'complained')) not valid,
  add constraint email_status_of_an_address check (email_status is null or email is not null) not valid;
