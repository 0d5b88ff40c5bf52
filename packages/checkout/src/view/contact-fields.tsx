/** How much, if the payer decides; who pays; and what the seller asks besides. */
import type { CustomField, Sale } from '../doors.ts'
import { fieldsOf, isOptional } from '../form.ts'
import { moneyText } from '../money.ts'
import { currentLocale, say } from '../words.ts'
import { SelectField, TextField } from './field.tsx'
import type { Fields } from './pay-form.tsx'

export function ContactFields(fields: Fields) {
  const { sale } = fields
  const asked = fieldsOf(sale)
  return (
    <>
      {asked.includes('amount') && <AmountField {...fields} />}
      {asked.includes('quantity') && (
        <TextField
          {...bound(fields, 'quantity')}
          label={say('quantity')}
          input={{ inputMode: 'numeric', autocomplete: 'off', dir: 'ltr', maxLength: 2 }}
        />
      )}
      <TextField
        {...bound(fields, 'email')}
        label={say('email')}
        hint={say('email_hint')}
        input={{ type: 'email', autocomplete: 'email', inputMode: 'email', dir: 'ltr', spellcheck: false }}
      />
      {asked.includes('name') && (
        <TextField {...bound(fields, 'name')} label={say('name')} input={{ autocomplete: 'name' }} />
      )}
      {asked.includes('phone') && (
        <TextField
          {...bound(fields, 'phone')}
          label={say('phone')}
          input={{ type: 'tel', autocomplete: 'tel', dir: 'ltr' }}
        />
      )}
      {sale.custom_fields.map((field) => (
        <OwnField fields={fields} field={field} />
      ))}
    </>
  )
}

function AmountField(fields: Fields) {
  const { sale } = fields
  return (
    <TextField
      {...bound(fields, 'amount')}
      label={say('amount')}
      hint={say('amount_between', boundsOf(sale))}
      mark={sale.currency.toUpperCase()}
      input={{ inputMode: sale.exponent === 0 ? 'numeric' : 'decimal', autocomplete: 'off', dir: 'ltr' }}
    />
  )
}

function boundsOf(sale: Sale): { min: string; max: string } {
  const { min = 0, max = 0 } = sale.open_amount ?? {}
  return { min: moneyText(min, sale, currentLocale()), max: moneyText(max, sale, currentLocale()) }
}

function OwnField({ fields, field }: { fields: Fields; field: CustomField }) {
  const parts = { ...bound(fields, `custom_fields.${field.key}`), label: field.label }
  const options = field.options.map((option) => ({ value: option, label: option }))
  if (field.type === 'dropdown') return <SelectField {...parts} options={options} />
  const input = {
    autocomplete: 'off' as const,
    ...(field.type === 'numeric' && { inputMode: 'numeric' as const }),
  }
  return <TextField {...parts} input={input} />
}

/** Ties one field to the form around it. */
export function bound({ sale, values, faults, type, leave }: Fields, name: string) {
  return {
    name,
    value: values[name] ?? '',
    fault: faults.get(name) ?? null,
    isOptional: isOptional(sale, name),
    onType: (value: string) => type({ [name]: value }),
    onLeave: () => leave(name),
  }
}
