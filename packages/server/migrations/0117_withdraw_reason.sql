-- Why an invoice was withdrawn. It becomes the reason of the void when the payment in progress has ended.
alter table invoices add column withdraw_reason text;
