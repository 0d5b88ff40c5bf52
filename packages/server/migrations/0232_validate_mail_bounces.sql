-- Validated apart from 0227, 0230 and 0231, because this reads the whole tables without blocking writes.
alter table mail_settings validate constraint texts_of_kinds;
alter table mails
  validate constraint known_status,
  validate constraint sent_has_a_time,
  validate constraint unsent_has_no_time,
  validate constraint bounced_has_a_time,
  validate constraint short_bounce_detail;
alter table customers
  validate constraint known_email_status,
  validate constraint email_status_of_an_address;
