// Every screen, with and without data, has no accessibility violations and no horizontal scrolling. Each is checked for
// horizontal scrolling in both themes, on a desktop and on a phone. axe is slow, so it checks each screen in the light
// theme at one of the two widths, and the colors of a third of the screens in the dark theme; the seed selects them.
// `npm run test:screens` checks every screen at both widths and in both themes. If SCREENSHOTS is set, a screenshot of
// each is stored.

import { expect, test } from 'vitest'
import { cardInput } from '../../support/cards.ts'
import { cards } from '../../support/checkout.ts'
import { reportDispute } from '../../support/disputes.ts'
import { choose, isComplete, printSelection } from '../../support/selection.ts'
import type { Workspace } from '../../support/switchyard.ts'
import { colorRules, findViolations, loadAxe } from '../support/accessibility.ts'
import { takeScreenshot } from '../support/screenshots.ts'
import { dashboardForThisFile, type SignedIn } from './support/dashboard-pages.ts'
import { pay } from './support/payments.ts'

const dashboard = await dashboardForThisFile()

printSelection()

/** The list pages. */
const lists = [
  '',
  '/payments',
  '/refunds',
  '/disputes',
  '/customers',
  '/payment-methods',
  '/payment-links',
  '/mails',
  '/mails?tab=settings',
  '/subscriptions',
  '/products',
  '/coupons',
  '/meters',
  '/invoices',
  '/invoices/new',
  '/seller',
  '/dunning',
  '/payment-routes',
  '/provider-accounts',
  '/events',
  '/events/tail',
  '/balances',
  '/reconciliation',
  '/tax',
  '/exports',
  '/webhook-endpoints',
  '/webhook-endpoints/lab',
  '/requests',
  '/api-tokens',
  '/test-clocks',
  '/people',
  '/audit-entries',
  '/card-data',
  '/payment-element',
  '/customer-portal',
  '/cancellation-requests',
  '/system',
  '/account',
]
const details = [
  '/payments',
  '/refunds',
  '/disputes',
  '/customers',
  '/payment-methods',
  '/payment-links',
  '/mails',
  '/subscriptions',
  '/products',
  '/coupons',
  '/meters',
  '/invoices',
  '/payment-routes',
  '/provider-accounts',
  '/events',
  '/webhook-endpoints',
  '/requests',
  '/test-clocks',
]

const workspaceWithData = await createWorkspaceWithData()
const emptyWorkspace = await dashboard.newWorkspace()

test.each(lists)('with data, %s has no accessibility violations', async (path) => {
  await checkScreen(workspaceWithData, path, 'data')
})

test.each(details)('the detail page of an object in %s has no accessibility violations', async (path) => {
  const { body } = await workspaceWithData.get(`${path}?limit=1`)
  await checkScreen(workspaceWithData, `${path}/${body.data[0].id}`, 'object')
})

test.each(lists)('without data, %s has no accessibility violations', async (path) => {
  await checkScreen(emptyWorkspace, path, 'empty')
})

test('the not-found pages have no accessibility violations', async () => {
  await checkScreen(workspaceWithData, '/payments/payment_test_01M7FWD4BQFNC8SMZVSDXVHCD7', 'missing')
  await checkScreen(workspaceWithData, '/nowhere', 'nowhere')
})

/** One session per workspace, because signing in for each screen would be slow. */
const sessions = new Map<Workspace, Promise<SignedIn>>()

function openSession(workspace: Workspace): Promise<SignedIn> {
  const session = sessions.get(workspace) ?? dashboard.newSession(workspace, 'ADMIN')
  sessions.set(workspace, session)
  return session
}

async function checkScreen(workspace: Workspace, path: string, name: string): Promise<void> {
  const page = await dashboard.openSignedIn(workspace, path, await openSession(workspace), {
    bypassCSP: true,
    reducedMotion: 'reduce',
  })
  await expect.poll(() => page.getByRole('status', { name: 'Loading' }).count()).toBe(0)
  await loadAxe(page)
  const checks = checksOf(`${name} ${path.replace(/_test_\w+/, '')}`)
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: width < 700 ? 844 : 900 })
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      const file = `${name}${path.replaceAll(/[/?=]/g, '-').replace(/_test_\w+/, '')}-${width}-${colorScheme}`
      await takeScreenshot(page, file)
      const scrollWidth = await page.evaluate('document.documentElement.scrollWidth')
      expect(scrollWidth, `at ${width}`).toBeLessThanOrEqual(width)
      if (checks[colorScheme].includes(width))
        expect(await findViolations(page, rulesOf[colorScheme]), `${colorScheme} ${width}`).toEqual([])
    }
  }
}

/** The theme affects only colors, so the other rules are checked in one theme. */
const rulesOf = { light: {}, dark: { rules: colorRules } }

/** The widths at which axe checks a screen, by theme. */
function checksOf(screen: string): { readonly light: readonly number[]; readonly dark: readonly number[] } {
  if (isComplete) return { light: [1440, 390], dark: [1440] }
  return {
    light: [choose(`${screen} width`, 2) === 0 ? 1440 : 390],
    dark: choose(`${screen} dark`, 3) === 0 ? [1440] : [],
  }
}

/** Creates at least one object for each page. */
async function createWorkspaceWithData(): Promise<Workspace> {
  const workspace = await dashboard.newWorkspace()
  const { post } = workspace
  await workspace.anEndpoint('http://127.0.0.1:1024/hooks')
  const good = await pay(workspace, cards.approved, { order_reference: 'order-1' })
  await pay(workspace, cards.declined)
  await pay(workspace, cards.noResponse)
  await post('/refunds', { payment_id: good.id, amount: 4_000 })
  const { id: disputed } = await pay(workspace, cards.approved)
  await reportDispute(dashboard.deps, workspace.workspaceId, disputed, {})
  await workspace.aSettlementLine()
  await workspace.anExport({ of: 'journal' })
  await post('/payment-links', { amount: 12_900, currency: 'eur', description: 'Touring wheelset' })
  const [account] = (await workspace.get('/provider-accounts')).body.data
  const action = { type: 'priority', targets: [account.id] }
  await post('/payment-routes', { name: 'Cards', is_default: true, default: action })
  await post('/test-clocks', { name: 'A year' })
  await createPaymentMethod(workspace)
  await workspace.aCampaign()
  await workspace.anEmail()
  await createCoupon(workspace)
  await createUsage(workspace)
  await createCreditedInvoice(workspace)
  await dashboard.settle()
  return workspace
}

async function createCoupon({ post }: Workspace): Promise<void> {
  const { body: coupon } = await post('/coupons', {
    name: 'Spring offer',
    percent_off: '20',
    duration: 'once',
  })
  expect((await post('/promotion-codes', { coupon_id: coupon.id, code: 'SPRING' })).status).toBe(201)
}

/** Two weeks of usage of two customers, and alerts. */
async function createUsage({ post, aCustomer }: Workspace): Promise<void> {
  const event_name = 'api_request'
  const terms = { event_name, aggregation: 'sum', dimensions: ['region'] }
  const { body: meter } = await post('/meters', terms)
  for (const [name, threshold] of [
    ['80% of the included requests', '8000'],
    ['Included requests', '1000000'],
  ])
    await post('/usage-alerts', { meter_id: meter.id, name, threshold })
  const reading = dashboard.clock.read()
  const nowMs = 'at' in reading ? reading.at.getTime() : Date.now()
  const customers = [await aCustomer({ name: 'Ada Lovelace' }), await aCustomer({ name: 'Grace Hopper' })]
  const events = Array.from({ length: 28 }, (_, index) => ({
    id: `usage_${index}`,
    event_name,
    customer_id: customers[index % 2],
    occurred_at: new Date(nowMs - Math.floor(index / 2) * 86_400_000).toISOString(),
    value: String(400 + ((index * 379) % 900)),
    dimensions: { region: ['eu', 'us', 'ap'][index % 3] },
  }))
  expect((await post('/meter-events', { events })).body).toMatchObject({ accepted: events.length })
}

/** An open, partly credited one-off invoice with tax. */
async function createCreditedInvoice({ post, put, aCustomer }: Workspace): Promise<void> {
  const address = { line1: 'Unter den Linden 1', city: 'Berlin', postal_code: '10117', country: 'DE' }
  const tax_ids = [{ type: 'eu_vat', value: 'DE136695976' }]
  await put('/seller', { legal_name: 'Example GmbH', address, tax_ids, tax: 'rates' })
  const { body: rate } = await post('/tax-rates', { name: 'Germany 19%', percentage: '19' })
  await post('/tax-rules', { tax_rate_id: rate.id, country: 'DE' })
  const { body: invoice } = await post('/invoices', {
    customer_id: await aCustomer({ name: 'Ada Lovelace', address }),
    currency: 'eur',
    collection_method: 'send_invoice',
    memo: 'Thank you for your order.',
    purchase_order: 'PO-4711',
    lines: [
      { description: 'Workshop', unit_amount: 120_000 },
      { description: 'Travel', unit_amount: 9_900, quantity: 2 },
    ],
  })
  await post(`/invoices/${invoice.id}/finalize`)
  const lines = [{ invoice_line_id: invoice.lines[1].id, amount: 9_900 }]
  const note = await post('/credit-notes', { invoice_id: invoice.id, lines, reason: 'order_change' })
  expect(note.status, JSON.stringify(note.body)).toBe(201)
}

async function createPaymentMethod({ post }: Workspace): Promise<void> {
  const { body: token } = await post('/tokens', { type: 'card', card: cardInput })
  expect((await post('/payment-methods', { token: token.id })).status).toBe(201)
}
