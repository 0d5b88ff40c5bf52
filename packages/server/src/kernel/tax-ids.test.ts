// VAT ids of every country, from the public documentation of python-stdnum and of the registers. A changed digit must
// be detected.

import { expect, test } from 'vitest'
import { checkTaxId } from './tax-ids.ts'

// biome-ignore format: a table.
const euIds = [
  'ATU13585627', 'BE0403019261', 'BG175074752', 'CY10259033P', 'CZ25123891', 'DE136695976', 'DK13585628', 'EE100931558',
  'EL094259216', 'ESB58378431', 'ESX5910266W', 'FI20774740', 'FR40303265045', 'HR33392005961', 'HU12892312', 'IE6433435F',
  'IE8Z49289F', 'IT00743110157', 'LT119511515', 'LU15027442', 'LV40003521600', 'MT11679112', 'NL004495445B01',
  'PL8567346215', 'PT501964843', 'RO18547290', 'SE123456789701', 'SI50223054', 'SK2022749619',
]
/** The digit that is changed to break the id: not every digit of an id is covered by its check digit. */
const brokenOf = (id: string) =>
  id.replace(/(\d)(?=\D*$|01$|B01$)/, (digit) => String((Number(digit) + 1) % 10))

test.each(euIds)('%s is well-formed, and with another digit it is not', (value) => {
  const country = value.startsWith('EL') ? 'GR' : value.slice(0, 2)
  expect(checkTaxId({ type: 'eu_vat', value })).toEqual({ country, isInEu: true })

  const broken = value.startsWith('SE')
    ? 'SE123456789801'
    : value.startsWith('NL')
      ? 'NL004495446B01'
      : brokenOf(value)
  expect(broken).not.toBe(value)
  expect(checkTaxId({ type: 'eu_vat', value: broken })).toBeNull()
})

test.each([
  ['gb_vat', 'GB 980 7806 84', 'GB980780685', 'GB'],
  ['gb_vat', '980780684', '980780694', 'GB'],
  ['eu_vat', 'XI980780684', 'XI980780685', 'GB'],
  ['ch_vat', 'CHE-107.787.577 IVA', 'CHE-107.787.578 IVA', 'CH'],
  ['no_vat', 'NO 995 525 828 MVA', '995525829MVA', 'NO'],
])('%s: %s is well-formed, %s is not, and neither is in the EU', (type, value, broken, country) => {
  expect(checkTaxId({ type, value })).toEqual({ country, isInEu: false })
  expect(checkTaxId({ type, value: broken })).toBeNull()
})

test.each([
  ['eu_vat', 'GR023456783'],
  ['eu_vat', '136695976'],
  ['eu_vat', 'US123456789'],
  ['eu_vat', ''],
  ['us_ein', '12-3456789'],
])('%s: %s is not a VAT id that can be checked', (type, value) => {
  expect(checkTaxId({ type, value })).toBeNull()
})
