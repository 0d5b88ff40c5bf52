-- Finalizing and voiding an invoice with tax is committed only with the postings of the tax.
create constraint trigger invoice_tax_is_posted after update on invoices
  deferrable initially deferred for each row
  when (current_setting('app.posts', true) = 'on' and new.status <> old.status and new.tax_total <> 0)
  execute function invoice_tax_is_posted();

-- Reads the postings without blocking writes.
alter table ledger_postings validate constraint accounts_are_known;
