-- A tax provider computes the tax of drafts after their lines were written.
grant update (net, tax, tax_rate_id, tax_percentage, tax_category, tax_inclusive, tax_note) on invoice_lines
  to switchyard_app;
create trigger lines_taxed after update on invoice_lines referencing new table as changed
  for each statement execute function lines_of_drafts_only();
