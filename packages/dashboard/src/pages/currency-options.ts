/** Currencies to choose from: those that people ask for most stand first. */
import type { Option } from '../ui/fields.tsx'

const first = ['EUR', 'USD', 'GBP', 'CHF', 'JPY']

export const currencyOptions: readonly Option[] = [
  ...first,
  ...Intl.supportedValuesOf('currency').filter((code) => !first.includes(code) && /^[^X]/.test(code)),
].map((code) => ({ value: code.toLowerCase(), text: code }))
