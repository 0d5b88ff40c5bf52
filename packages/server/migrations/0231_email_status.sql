-- Null: no problem is known. A change of the address resets it.
alter table customers
  add column email_status text,
  add constraint known_email_status check (email_status in ('bounced', 'complained')) not valid,
  add constraint email_status_of_an_address check (email_status is null or email is not null) not valid;
