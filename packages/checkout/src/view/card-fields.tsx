/** The card. Browsers fill it in by the names of its fields; nothing jumps to the next field by itself. */
import { brandNames, brandOf, codeLengthOf } from '../card/brand.ts'
import { digitsOf, typeCode, typeExpiry, typeNumber } from '../card/typing.ts'
import { say } from '../words.ts'
import { bound } from './contact-fields.tsx'
import { TextField } from './field.tsx'
import type { Fields } from './pay-form.tsx'

const digits = { inputMode: 'numeric', dir: 'ltr', spellcheck: false } as const

export function CardFields(fields: Fields) {
  const brand = brandOf(digitsOf(fields.values['card.number'] ?? ''))
  return (
    <fieldset class="plain">
      <legend class="unseen">{say('card')}</legend>
      <TextField
        {...bound(fields, 'card.number')}
        label={say('card_number')}
        input={{ ...digits, autocomplete: 'cc-number' }}
        retype={typeNumber}
        mark={brand === null ? null : (brandNames[brand] ?? null)}
      />
      <div class="pair">
        <TextField
          {...bound(fields, 'card.expiry')}
          label={say('expiry')}
          hint={say('expiry_hint')}
          input={{ ...digits, autocomplete: 'cc-exp' }}
          retype={typeExpiry}
        />
        <TextField
          {...bound(fields, 'card.cvc')}
          label={say('code')}
          hint={say(codeLengthOf(brand) === 4 ? 'code_hint_4' : 'code_hint_3')}
          input={{ ...digits, autocomplete: 'cc-csc' }}
          retype={typeCode}
        />
      </div>
      <TextField
        {...bound(fields, 'card.name')}
        label={say('card_name')}
        input={{ autocomplete: 'cc-name', spellcheck: false }}
      />
    </fieldset>
  )
}
