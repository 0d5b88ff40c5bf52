/** The amount or quantity if the payer chooses it, the contact fields, and the custom fields of the seller. */
import type { CustomField, Sale } from '../api.ts'
import { fieldsOf, isOptional } from '../form.ts'
import { formatMoney } from '../money.ts'
import { currentLocale, translate } from '../translations.ts'
import { SelectField, TextField } from './field.tsx'
import type { Fields } from './pay-form.tsx'

export function ContactFields(fields: Fields) {
  const { sale } = fields
  const fieldNames = fieldsOf(sale)
  return (
    <>
      {fieldNames.includes('amount') && <AmountField {...fields} />}
      {fieldNames.includes('quantity') && (
        <TextField
          {...fieldProps(fields, 'quantity')}
          label={translate('quantity')}
          input={{ inputMode: 'numeric', autocomplete: 'off', dir: 'ltr', maxLength: 2 }}
        />
      )}
      <TextField
        {...fieldProps(fields, 'email')}
        label={translate('email')}
        hint={translate('email_hint')}
        input={{ type: 'email', autocomplete: 'email', inputMode: 'email', dir: 'ltr', spellcheck: false }}
      />
      {fieldNames.includes('name') && (
        <TextField
          {...fieldProps(fields, 'name')}
          label={translate('name')}
          input={{ autocomplete: 'name' }}
        />
      )}
      {fieldNames.includes('phone') && (
        <TextField
          {...fieldProps(fields, 'phone')}
          label={translate('phone')}
          input={{ type: 'tel', autocomplete: 'tel', dir: 'ltr' }}
        />
      )}
      {sale.custom_fields.map((field) => (
        <CustomFieldInput fields={fields} field={field} />
      ))}
    </>
  )
}

function AmountField(fields: Fields) {
  const { sale } = fields
  return (
    <TextField
      {...fieldProps(fields, 'amount')}
      label={translate('amount')}
      hint={translate('amount_between', amountBounds(sale))}
      suffix={sale.currency.toUpperCase()}
      input={{ inputMode: sale.exponent === 0 ? 'numeric' : 'decimal', autocomplete: 'off', dir: 'ltr' }}
    />
  )
}

function amountBounds(sale: Sale): { min: string; max: string } {
  const { min = 0, max = 0 } = sale.open_amount ?? {}
  return { min: formatMoney(min, sale, currentLocale()), max: formatMoney(max, sale, currentLocale()) }
}

function CustomFieldInput({ fields, field }: { fields: Fields; field: CustomField }) {
  const props = { ...fieldProps(fields, `custom_fields.${field.key}`), label: field.label }
  const options = field.options.map((option) => ({ value: option, label: option }))
  if (field.type === 'dropdown') return <SelectField {...props} options={options} />
  const input = {
    autocomplete: 'off' as const,
    ...(field.type === 'numeric' && { inputMode: 'numeric' as const }),
  }
  return <TextField {...props} input={input} />
}

/** The props that connect a field to the form. */
export function fieldProps(fields: Omit<Fields, 'propsOf'>, name: string) {
  const { sale, values, errors, changeValues, validateOnBlur } = fields
  return {
    name,
    value: values[name] ?? '',
    error: errors.get(name) ?? null,
    isOptional: isOptional(sale, name),
    onValueChange: (value: string) => changeValues({ [name]: value }),
    // The focus leaves the payment element when the button of the merchant is pressed. An error would make the frame
    // higher, and move that button away before it is released.
    onBlur: ({ relatedTarget }: FocusEvent) => relatedTarget && validateOnBlur(name),
  }
}
