import { countriesIn } from '../countries.ts'
import { addressParts } from '../form.ts'
import { currentLocale, translate } from '../translations.ts'
import { fieldProps } from './contact-fields.tsx'
import { SelectField, TextField } from './field.tsx'
import type { Fields } from './pay-form.tsx'

type Group = 'billing_address' | 'shipping_address'

/** The `autocomplete` names of address fields. */
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
      <legend>{translate(group)}</legend>
      {addressParts.map((part) => {
        const autocomplete = `${section} ${autocompletes[part]}`
        const props = { ...fieldProps(fields, `${group}.${part}`), label: translate(part) }
        if (part !== 'country') return <TextField {...props} input={{ autocomplete }} />
        return <SelectField {...props} autocomplete={autocomplete} options={countriesIn(currentLocale())} />
      })}
    </fieldset>
  )
}
