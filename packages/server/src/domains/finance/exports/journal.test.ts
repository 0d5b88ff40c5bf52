// The journal for accounting software: settings, and files for Xero and DATEV.

import { expect, test } from 'vitest'
import { cellsOf, downloadExport, unzip } from '../../../../test/support/exports.ts'
import { createToken } from '../../../../test/support/payment-methods.ts'
import { simulatorForThisFile } from '../../../../test/support/simulator.ts'
import { switchyardForThisFile, type Workspace } from '../../../../test/support/switchyard.ts'

const simulator = await simulatorForThisFile()
const { newWorkspace } = await switchyardForThisFile({ environment: { SIMULATOR_URL: simulator.url } })

const datev = { consultant_number: 1001, client_number: 42, fiscal_year_start: '01-01', account_length: 4 }
const numbers = { clearing: '1360', sales: '8400', refunds_payable: '1700', refunded: '8700' }
const november = { from: '2026-11-01', to: '2026-11-30' }

async function pay(workspace: Workspace, members: object = {}) {
  const token = await createToken(workspace)
  return (await workspace.post('/payments', { amount: 129_900, currency: 'eur', token, ...members })).body
}

/** A payment in euros with a refund, and one in yen. */
async function newWorkspaceWithPayments() {
  const workspace = await newWorkspace()
  const payment = await pay(workspace)
  await workspace.post('/refunds', { payment_id: payment.id, amount: 305 })
  await pay(workspace, { amount: 900, currency: 'jpy' })
  return workspace
}

const setNumbers = ({ put }: Workspace, members: object = {}) =>
  put('/journal-settings', {
    accounts: Object.entries(numbers).map(([account, number]) => ({ account, number })),
    ...members,
  })

async function filesOf(workspace: Workspace, format: string) {
  const id = await workspace.anExport({ of: 'journal', format })
  const { headers, content } = await downloadExport(workspace, id)
  expect(headers.get('content-type')).toBe('application/zip')
  return { id, files: unzip(content) }
}

test('accounts have default names, and are changed one by one', async () => {
  const { get, put } = await newWorkspace()
  const find = async (name: string) =>
    (await get('/journal-settings')).body.accounts.find(
      ({ account }: { account: string }) => account === name,
    )
  expect(await find('refunds_payable')).toEqual({
    account: 'refunds_payable',
    number: null,
    name: 'Refunds payable',
  })

  await put('/journal-settings', { accounts: [{ account: 'clearing', number: '1360', name: 'In transit' }] })
  await put('/journal-settings', { accounts: [{ account: 'sales', number: '8400' }], datev })
  await put('/journal-settings', { accounts: [{ account: 'clearing', name: null }] })

  expect(await find('clearing')).toEqual({ account: 'clearing', number: '1360', name: 'Clearing' })
  expect(await find('sales')).toEqual({ account: 'sales', number: '8400', name: 'Sales' })
  expect((await get('/journal-settings')).body).toMatchObject({ datev, xero: { tax_rate: 'Tax Exempt' } })
  expect((await put('/journal-settings', { accounts: [{ account: 'petty_cash' }] })).status).toBe(400)
})

test('Xero and DATEV are refused until every account with postings has a number', async () => {
  const workspace = await newWorkspaceWithPayments()
  const create = (format: string) => workspace.post('/exports', { of: 'journal', format, ...november })

  const { status, body } = await create('xero')
  expect(status).toBe(422)
  expect(body).toMatchObject({
    code: 'journal_settings_incomplete',
    detail:
      'These accounts have postings in the period but no valid number: clearing, refunded, refunds_payable, sales.',
  })
  await setNumbers(workspace)
  expect((await create('xero')).status).toBe(201)
  expect((await create('datev')).body).toMatchObject({
    detail: 'The settings for DATEV are missing: `datev`.',
  })
  await setNumbers(workspace, { datev, accounts: [{ account: 'sales', number: 'REV-1' }] })
  expect((await create('datev')).body).toMatchObject({
    detail: expect.stringContaining('no valid number: sales.'),
  })
  await setNumbers(workspace, { datev })
  expect((await create('datev')).status).toBe(201)
})

test('an export for DATEV must be within one fiscal year, and only the journal has this format', async () => {
  const workspace = await newWorkspace()
  await setNumbers(workspace, { datev: { ...datev, fiscal_year_start: '07-01' } })
  const create = (members: object) =>
    workspace.post('/exports', { of: 'journal', format: 'datev', ...members })

  expect((await create({ from: '2026-07-01', to: '2027-06-30' })).status).toBe(201)
  expect((await create({ from: '2026-06-30', to: '2026-07-01' })).body.errors).toMatchObject([
    { pointer: '/to' },
  ])
  expect((await create({ of: 'payments', ...november })).body.errors).toMatchObject([{ pointer: '/format' }])
})

test('Xero gets one balanced journal per day and currency, with positive debits', async () => {
  const workspace = await newWorkspaceWithPayments()
  await setNumbers(workspace, { xero: { tax_rate: 'No Tax' } })
  const { id, files } = await filesOf(workspace, 'xero')

  expect([...files.keys()]).toEqual([
    'xero-eur-2026-11-01-2026-11-30-1.csv',
    'xero-jpy-2026-11-01-2026-11-30-2.csv',
  ])
  const lines = [...files.values()].map((content) => cellsOf(content.toString()))
  expect(lines[0]?.[0]).toEqual(
    '*Narration *Date Description *AccountCode *TaxRate *Amount TrackingName1 TrackingOption1 TrackingName2 TrackingOption2'.split(
      ' ',
    ),
  )
  // Amounts that are booked to and from an account on the same day cancel out, so that account is not listed.
  expect(lines[0]?.slice(1)).toEqual([
    ['Switchyard 2026-11-14 EUR', '14/11/2026', 'Clearing', '1360', 'No Tax', '1295.95', '', '', '', ''],
    ['Switchyard 2026-11-14 EUR', '14/11/2026', 'Refunded', '8700', 'No Tax', '3.05', '', '', '', ''],
    ['Switchyard 2026-11-14 EUR', '14/11/2026', 'Sales', '8400', 'No Tax', '-1299.00', '', '', '', ''],
  ])
  expect(lines[1]?.slice(1).map((cells) => cells.slice(3, 6))).toEqual([
    ['1360', 'No Tax', '900'],
    ['8400', 'No Tax', '-900'],
  ])
  const { body } = await workspace.get(`/exports/${id}`)
  expect(body).toMatchObject({ rows: 5, file: { name: 'journal-2026-11-01-2026-11-30.zip' } })
  expect(body.sums).toContainEqual({ column: 'debit', currency: 'eur', amount: 129_900 })
  expect(body.sums).toContainEqual({ column: 'credit', currency: 'eur', amount: 129_900 })
})

test('DATEV gets one line per posting, in Windows-1252', async () => {
  const workspace = await newWorkspaceWithPayments()
  await setNumbers(workspace, { datev })
  const { id, files } = await filesOf(workspace, 'datev')

  expect([...files.keys()]).toEqual(['EXTF_Buchungsstapel_0001.csv'])
  const [content = Buffer.alloc(0)] = files.values()
  const text = new TextDecoder('windows-1252', { fatal: true }).decode(content)
  const [header = '', columns = '', ...lines] = text.split('\r\n').slice(0, -1)
  const { body: exported } = await workspace.get(`/exports/${id}`)
  expect(header).toBe(
    `"EXTF";700;21;"Buchungsstapel";13;${exported.created_at.replaceAll(/\D/g, '')};;"SY";"Switchyard";"";1001;42;20260101;4;20261101;20261130;"Switchyard 2026-11";"";1;0;0;"EUR";;"";;;"";;;;""`,
  )
  expect(header.split(';')).toHaveLength(31)
  expect(columns.split(';')).toHaveLength(125)
  expect(columns.split(';')[7]).toBe('Gegenkonto (ohne BU-Schlüssel)')
  const { body: postings } = await workspace.get('/ledger-postings')
  const ids = postings.data.map((posting: { id: string }) => posting.id.slice(-26)).toReversed()
  expect(
    lines
      .map((line) => line.split(';'))
      .map((fields) => [...fields.slice(0, 3), ...fields.slice(6, 8), fields[9], fields[10], fields[13]]),
  ).toEqual([
    ['1299,00', '"S"', '"EUR"', '1360', '8400', '1411', `"${ids[0]}"`, '"payment captured"'],
    ['3,05', '"S"', '"EUR"', '8700', '1700', '1411', `"${ids[1]}"`, '"refund requested"'],
    ['3,05', '"S"', '"EUR"', '1700', '1360', '1411', `"${ids[2]}"`, '"refund succeeded"'],
    ['900,00', '"S"', '"JPY"', '1360', '8400', '1411', `"${ids[3]}"`, '"payment captured"'],
  ])
  for (const line of lines) expect(line.split(';')).toHaveLength(125)
  expect(exported.sums).toEqual([
    { column: 'amount', currency: 'eur', amount: 130_510 },
    { column: 'amount', currency: 'jpy', amount: 900 },
  ])
})
