import { countriesIn } from '../countries.ts'
import { addressParts } from '../form.ts'
import { currentLocale, say } from '../words.ts'
import { bound } from './contact-fields.tsx'
import { SelectField, TextField } from './field.tsx'
import type { Fields } from './pay-form.tsx'

type Group = 'billing_address' | 'shipping_address'

/** What browsers call the parts of an address. */
const autocompletes = {
  line1: 'address-line1',
  line2: 'address-line2',
  postal_code: 'postal-code',
  city: 'address-level2',
  state: 'address-level1',
  country: 'country',
} as const

export function AddressFields({ group, ...fields }: Fields & { group: Group }) {
  if (!fields.sale.collect.includes(group)) return null
  const section = group === 'billing_address' ? 'billing' : 'shipping'
  return (
    <fieldset class="plain group">
      <legend>{say(group)}</legend>
      {addressParts.map((part) => {
        const autocomplete = `${section} ${autocompletes[part]}`
        const parts = { ...bound(fields, `${group}.${part}`), label: say(part) }
        if (part !== 'country') return <TextField {...parts} input={{ autocomplete }} />
        return <SelectField {...parts} autocomplete={autocomplete} options={countriesIn(currentLocale())} />
      })}
    </fieldset>
  )
}
