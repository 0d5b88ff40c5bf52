alter table sellers validate constraint sellers_tax_check;
