/** A seller with all legal fields, which live workspaces need to finalize invoices. */
export const completeSeller = {
  legal_name: 'Example GmbH',
  address: {
    line1: 'Unter den Linden 1',
    line2: null,
    city: 'Berlin',
    state: null,
    postal_code: '10117',
    country: 'DE',
  },
  registration: { register: 'Amtsgericht Berlin', number: 'HRB 12345' },
  tax_ids: [{ type: 'eu_vat', value: 'DE123456789' }],
  time_zone: 'Europe/Berlin',
} as const
