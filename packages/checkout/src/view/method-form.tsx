/** Shared by the forms of all payment methods other than cards. */
import type { Values } from '../form.ts'
import { translate } from '../translations.ts'
import { TextField } from './field.tsx'
import { text } from './method-texts.ts'
import type { Fields, OtherMethod } from './pay-form.tsx'

/** An error is null if the field is valid. */
export type MethodForm = Pick<OtherMethod, 'confirmation'> & {
  readonly validate: (values: Values) => Readonly<Record<string, string | null>>
}

export function HolderField({ type, ...fields }: Fields & { type: string }) {
  return (
    <TextField
      {...fields.propsOf(`${type}.holder`)}
      label={text('holder')}
      input={{ autocomplete: 'name' }}
    />
  )
}

export const trimmed = (values: Values, field: string) => values[field]?.trim() ?? ''

export function missing(values: Values, field: string): string | null {
  return trimmed(values, field) === '' ? translate('missing') : null
}
