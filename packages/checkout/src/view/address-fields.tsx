import { countriesIn } from '../countries.ts'
import { currentLocale, translate } from '../translations.ts'
import { SelectField, TextField } from './field.tsx'
import type { Fields } from './pay-form.tsx'

type Group = 'billing_address' | 'shipping_address'

/** The `autocomplete` names of address fields, in their order. */
const autocompletes = {
  line1: 'address-line1',
  line2: 'address-line2',
  postal_code: 'postal-code',
  city: 'address-level2',
  state: 'address-level1',
  country: 'country',
} as const

const parts = Object.keys(autocompletes) as (keyof typeof autocompletes)[]

export function AddressFields({ group, ...fields }: Fields & { group: Group }) {
  const section = group === 'billing_address' ? 'billing' : 'shipping'
  return (
    <fieldset class="plain group">
      <legend>{translate(group)}</legend>
      {parts.map((part) => {
        const autocomplete = `${section} ${autocompletes[part]}`
        const props = { ...fields.propsOf(`${group}.${part}`), label: translate(part) }
        if (part !== 'country') return <TextField {...props} input={{ autocomplete }} />
        return <SelectField {...props} autocomplete={autocomplete} options={countriesIn(currentLocale())} />
      })}
    </fieldset>
  )
}
