/** The card fields. Browsers can autofill them. Focus does not move to the next field automatically. */
import { brandNames, brandOf, codeLengthOf } from '../card/brand.ts'
import { digitsOf, formatCardNumber, formatExpiry, formatSecurityCode } from '../card/typing.ts'
import { translate } from '../translations.ts'
import { fieldProps } from './contact-fields.tsx'
import { TextField } from './field.tsx'
import type { Fields } from './pay-form.tsx'

const digits = { inputMode: 'numeric', dir: 'ltr', spellcheck: false } as const

export function CardFields(fields: Fields) {
  const brand = brandOf(digitsOf(fields.values['card.number'] ?? ''))
  return (
    <fieldset class="plain">
      <legend class="unseen">{translate('card')}</legend>
      <TextField
        {...fieldProps(fields, 'card.number')}
        label={translate('card_number')}
        input={{ ...digits, autocomplete: 'cc-number' }}
        format={formatCardNumber}
        suffix={brand === null ? null : (brandNames[brand] ?? null)}
      />
      <div class="pair">
        <TextField
          {...fieldProps(fields, 'card.expiry')}
          label={translate('expiry')}
          hint={translate('expiry_hint')}
          input={{ ...digits, autocomplete: 'cc-exp' }}
          format={formatExpiry}
        />
        <TextField
          {...fieldProps(fields, 'card.cvc')}
          label={translate('code')}
          hint={translate(codeLengthOf(brand) === 4 ? 'code_hint_4' : 'code_hint_3')}
          input={{ ...digits, autocomplete: 'cc-csc' }}
          format={formatSecurityCode}
        />
      </div>
      <TextField
        {...fieldProps(fields, 'card.name')}
        label={translate('card_name')}
        input={{ autocomplete: 'cc-name', spellcheck: false }}
      />
    </fieldset>
  )
}
