import { expect, test } from 'vitest'
import { simulatorForThisFile } from '../../../../test/support/simulator.ts'
import { switchyardForThisFile, type Workspace } from '../../../../test/support/switchyard.ts'
import { importCardBins } from './service.ts'

const simulator = await simulatorForThisFile()
const switchyard = await switchyardForThisFile({ environment: { SIMULATOR_URL: simulator.url } })

const validCsv = `prefix,country,issuer,funding
424242,DE,"Bank of Tests, Berlin",debit
42424242,AT,"The ""Vienna"" Bank",
555555,,Example Bank,prepaid
`

function importCsv(csv: string) {
  return importCardBins(switchyard.deps, async function* () {
    yield* csv.trimEnd().split('\n')
  })
}

async function createToken({ post }: Workspace, number: string) {
  const card = { number, exp_month: 12, exp_year: 2036 }
  return (await post('/tokens', { type: 'card', card })).body
}

/**
 * Pays with the card through a route that sends matching payments to the second account. Returns which account
 * was chosen.
 */
async function chosenAccount(workspace: Workspace, when: object, number: string): Promise<string> {
  const { body: accounts } = await workspace.get('/provider-accounts')
  const [second, first] = accounts.data.map(({ id }: { id: string }) => id)
  const sendTo = (id: string) => ({ type: 'priority', targets: [id] })
  const { body: route } = await workspace.post('/payment-routes', {
    name: 'By card',
    rules: [{ name: 'Matches', when, then: sendTo(second) }],
    default: sendTo(first),
  })
  const { id: token } = await createToken(workspace, number)
  const order = { amount: 1299, currency: 'eur', token, payment_route_id: route.id }
  const { body: payment } = await workspace.post('/payments', order)
  return payment.provider_account_id === second ? 'second' : 'first'
}

test('a card gets the issuer data of its longest prefix, and route rules can use it', async () => {
  expect(await importCsv(validCsv)).toEqual({ prefixes: 3, faults: [] })
  const workspace = await switchyard.newWorkspace()

  expect((await createToken(workspace, '4242424242424242')).card).toMatchObject({
    country: 'AT',
    issuer: 'The "Vienna" Bank',
    funding: null,
  })
  expect((await createToken(workspace, '5555555555554444')).card).toMatchObject({
    country: null,
    issuer: 'Example Bank',
    funding: 'prepaid',
  })
  // Not in the table: every other test card is a credit card of a bank in the United States.
  expect((await createToken(workspace, '378282246310005')).card).toMatchObject({
    country: 'US',
    funding: 'credit',
  })
  const austrian = { field: 'card.country', op: 'eq', value: 'AT' }
  const exampleBank = { field: 'card.issuer', op: 'starts_with', value: 'Example' }
  expect(await chosenAccount(workspace, austrian, '4242424242424242')).toBe('second')
  expect(await chosenAccount(workspace, austrian, '5555555555554444')).toBe('first')
  expect(await chosenAccount(workspace, exampleBank, '5555555555554444')).toBe('second')
})

// biome-ignore format: a table.
test.each([
  ['a prefix that is too short', 'prefix,country\n42424,DE',               2, 'prefix must be 6 to 8 digits'],
  ['a full card number',         'prefix,country\n4242424242424242,DE',    2, 'prefix must be 6 to 8 digits'],
  ['a country in lower case',    'prefix,country\n424242,DE\n424243,de',   3, 'country must be an ISO 3166-1 code of two capital letters'],
  ['an unknown funding',         'prefix,funding\n424242,charge',          2, 'funding must be one of credit, debit, prepaid'],
  ['a row without data',         'prefix,country\n424242,',                2, 'must have country, issuer or funding'],
  ['a repeated prefix',          'prefix,country\n424242,DE\n424242,AT',   3, 'repeats the prefix of line 2'],
  ['too few columns',            'prefix,country,issuer\n424242,DE',       2, 'has 2 columns, but the header has 3'],
  ['an unclosed quote',          'prefix,issuer\n424242,"Bank',            2, 'has an unclosed quote'],
  ['an unknown column',          'bin,country\n424242,DE',                 1, 'has the unknown column "bin": use prefix, country, issuer, funding'],
  ['an empty file',              '',                                       1, 'must be a header such as prefix,country,issuer,funding'],
])('%s is reported with its line number, and the previous table stays', async (_, csv, line, detail) => {
  await importCsv(validCsv)

  expect(await importCsv(csv)).toMatchObject({ faults: [{ line, detail }] })
  const { body: system } = await (await switchyard.newWorkspace()).get('/system')
  const check = system.checks.find(({ id }: { id: string }) => id === 'card_bins')
  expect(check).toMatchObject({ status: 'ok', detail: expect.stringMatching(/^3 prefixes, imported on /) })
})

test('lint warns about rules on issuer data in live mode until a BIN table is imported', async () => {
  const live = await switchyard.newWorkspace('live')
  const rules = [
    { name: 'Debit', when: { field: 'card.funding', op: 'eq', value: 'debit' }, then: { type: 'decline' } },
    { name: 'Visa', when: { field: 'card.brand', op: 'eq', value: 'visa' }, then: { type: 'decline' } },
  ]
  const findingsWithoutData = async () => {
    const { body } = await live.post('/payment-routes/lint', {
      name: 'Cards',
      rules,
      default: { type: 'decline' },
    })
    return body.findings.filter(({ code }: { code: string }) => code === 'operand_without_data')
  }
  await importCsv(validCsv)
  expect(await findingsWithoutData()).toEqual([])

  await importCsv('prefix,country')
  expect(await findingsWithoutData()).toEqual([
    {
      severity: 'warning',
      code: 'operand_without_data',
      pointer: '/rules/0/when',
      detail:
        'card.funding is unknown for all cards, because no BIN table was imported. Ask the operator to run import-bins.',
    },
  ])
})
