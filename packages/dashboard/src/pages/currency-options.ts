/** The options of a currency field, the most common currencies first. */
import type { Option } from '../ui/fields.tsx'

const commonCurrencies = ['EUR', 'USD', 'GBP', 'CHF', 'JPY']

export const currencyOptions: readonly Option[] = [
  ...commonCurrencies,
  ...Intl.supportedValuesOf('currency').filter(
    (code) => !commonCurrencies.includes(code) && /^[^X]/.test(code),
  ),
].map((code) => ({ value: code.toLowerCase(), text: code }))
