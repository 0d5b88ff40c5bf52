/** Validates the credentials and settings of a connector with the data of its provider. Errors never quote a value. */
import type { Fault } from '../../../kernel/errors.ts'
import type { Mode } from '../../../kernel/id.ts'
import type { Setup, SetupField } from '../../../providers/contract.ts'

type Values = Readonly<Record<string, string>>

/** The errors in the credentials of a new account. None may be missing. */
export function credentialFaults(setup: Setup, mode: Mode, values: Values): readonly Fault[] {
  return [
    ...missingFaults(setup.credentials, mode, values, '/credentials'),
    ...valueFaults(setup, mode, values),
  ]
}

/** The errors in new values of credentials. Omitted ones keep their value. */
export function valueFaults(setup: Setup, mode: Mode, values: Values): readonly Fault[] {
  const kind = { noun: 'credential', example: 'key', pointer: '/credentials' } as const
  const unsendable = setup.credentials.flatMap(({ name, use }): Fault[] =>
    use === 'call' && !isPrintableAscii(values[name] ?? '')
      ? [
          {
            pointer: `/credentials/${name}`,
            code: 'bad_format',
            detail: 'must contain only ASCII characters',
          },
        ]
      : [],
  )
  return [...fieldFaults({ ...kind, setup, fields: setup.credentials, mode }, values), ...unsendable]
}

export function settingFaults(setup: Setup, mode: Mode, values: Values): readonly Fault[] {
  const kind = { noun: 'setting', example: 'value', pointer: '/config/settings' } as const
  return [
    ...missingFaults(setup.settings, mode, values, kind.pointer),
    ...fieldFaults({ ...kind, setup, fields: setup.settings, mode }, values),
  ]
}

/** Errors for changed settings that select the merchant account: its earlier payments can only be found there. */
export function identityFaults({ name, settings }: Setup, before: Values, after: Values): readonly Fault[] {
  return settings
    .filter((field) => field.identifies === true && before[field.name] !== after[field.name])
    .map((field) => ({
      pointer: `/config/settings/${field.name}`,
      code: 'not_together',
      detail: `identifies the account at ${name} and cannot be changed: create another provider account instead`,
    }))
}

function isRequired({ required }: SetupField, mode: Mode): boolean {
  return required === true || required === mode
}

function missingFaults(
  fields: readonly SetupField[],
  mode: Mode,
  values: Values,
  pointer: string,
): readonly Fault[] {
  return fields
    .filter((field) => isRequired(field, mode) && values[field.name] === undefined)
    .map(({ name }) => ({ pointer: `${pointer}/${name}`, code: 'required', detail: 'is required' }))
}

type Fields = {
  readonly setup: Setup
  readonly fields: readonly SetupField[]
  readonly mode: Mode
  readonly noun: 'credential' | 'setting'
  readonly example: 'key' | 'value'
  readonly pointer: string
}

function fieldFaults(
  { setup, fields, mode, noun, example, pointer }: Fields,
  values: Values,
): readonly Fault[] {
  return Object.entries(values).flatMap(([name, value]): Fault[] => {
    const field = fields.find((candidate) => candidate.name === name)
    if (field === undefined) {
      const names =
        fields.length === 0 ? `it has no ${noun}s` : `use ${fields.map((known) => known.name).join(', ')}`
      return [
        {
          pointer: `${pointer}/${name}`,
          code: 'unknown_member',
          detail: `is not a ${noun} of ${setup.name}: ${names}`,
        },
      ]
    }
    const detail = faultOfValue(field, value, mode, example)
    return detail === null ? [] : [{ pointer: `${pointer}/${name}`, code: 'bad_format', detail }]
  })
}

function faultOfValue(
  { pattern, help }: SetupField,
  value: string,
  mode: Mode,
  example: string,
): string | null {
  if (pattern === undefined || new RegExp(pattern[mode]).test(value)) return null
  const other = mode === 'live' ? 'test' : 'live'
  const isOther = pattern[other] !== '' && new RegExp(pattern[other]).test(value)
  if (isOther) return `is a ${other} ${example}, but this is the ${mode} environment`
  return `has the wrong format. ${help}`
}

function isPrintableAscii(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text)
}
