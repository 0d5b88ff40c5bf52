/** The fields of a connector: its credentials and settings, with the names that its provider uses. */
import type { Provider } from '@switchyard/sdk'
import { TextField } from '../../../ui/fields.tsx'

export type FieldValues = Readonly<Record<string, string>>

/** The values that were entered. */
export function enteredValues(values: FieldValues): FieldValues {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''))
}

/** Credentials as they are shown in a request: the names without the values. */
export function hiddenValues(values: FieldValues): FieldValues {
  return Object.fromEntries(Object.keys(values).map((name) => [name, '…']))
}

export function CredentialFields(props: {
  provider: Provider
  values: FieldValues
  onChange: (values: FieldValues) => void
  /** Text for fields that may stay empty. */
  emptyHint: string
}) {
  const { provider, values, onChange, emptyHint } = props
  return provider.credentials.map(({ name, label, help, required }) => (
    <TextField
      key={name}
      label={label}
      type="password"
      autoComplete="off"
      value={values[name] ?? ''}
      onChange={(value) => onChange({ ...values, [name]: value })}
      hint={required ? help : `${help} ${emptyHint}`}
      pointer={`/credentials/${name}`}
    />
  ))
}

export function SettingFields(props: {
  provider: Provider
  values: FieldValues
  onChange: (values: FieldValues) => void
}) {
  const { provider, values, onChange } = props
  return provider.settings.map(({ name, label, help, required }) => (
    <TextField
      key={name}
      label={label}
      value={values[name] ?? ''}
      onChange={(value) => onChange({ ...values, [name]: value })}
      hint={required ? help : `${help} Optional.`}
      pointer={`/config/settings/${name}`}
    />
  ))
}
