-- The code by which tax rules recognize a product.
alter table products add column tax_code text check (length(tax_code) between 1 and 100);
