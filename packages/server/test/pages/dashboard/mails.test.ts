// The page with e-mails to payers: their list, content, settings and preview.

import { expect, test } from 'vitest'
import { dashboardForThisFile, toast } from './support/dashboard-pages.ts'

const dashboard = await dashboardForThisFile()

const { getComputedStyle } = globalThis as unknown as {
  getComputedStyle: (node: unknown) => { fontSize: string }
}
/** Runs in the browser. */
const readFontSize = (node: unknown) => getComputedStyle(node).fontSize

test('the wording of an e-mail is edited with a preview in a sandboxed frame, saved, and restored', async () => {
  const workspace = await dashboard.newWorkspace()
  await workspace.put('/workspace', { branding: { display_name: 'Café <b>Zürich</b>' } })
  const page = await dashboard.open(workspace, '/mails?tab=settings')
  await page.getByRole('button', { name: 'View Trial ending' }).click()
  const dialog = page.getByRole('dialog')
  const frame = dialog.frameLocator('iframe')
  await frame.getByRole('heading', { name: 'Your trial with Café <b>Zürich</b> ends' }).waitFor()
  expect(await dialog.locator('iframe').getAttribute('sandbox')).toBe('allow-scripts')
  // The policy of the frame allows the inline styles of e-mails.
  expect(await frame.locator('h1').evaluate(readFontSize)).toBe('22px')

  await dialog.getByLabel('Send this e-mail').check()
  await dialog.getByLabel('Language').selectOption('German')
  await dialog.getByLabel('Subject').fill('Noch bis {date}')
  await frame.getByRole('heading', { name: 'Noch bis 1. Dezember 2026' }).waitFor()
  await dialog.getByRole('button', { name: 'Save e-mail' }).click()
  await toast(page, 'E-mail saved').waitFor()
  expect((await workspace.get('/mail-settings')).body).toMatchObject({
    kinds: { trial_ending: true },
    texts: [{ kind: 'trial_ending', language: 'de', subject: 'Noch bis {date}', body: null }],
  })

  await page.getByRole('button', { name: 'Edit sender' }).click()
  await dialog.getByLabel('Replies go to').fill('no address')
  await dialog.getByRole('button', { name: 'Save sender' }).click()
  await dialog.getByText('email').first().waitFor()
  await dialog.getByLabel('Replies go to').fill('help@example.com')
  await dialog.getByRole('button', { name: 'Save sender' }).click()
  await page.getByText('help@example.com').waitFor()
})

test('e-mails are filtered by status, and show their content and why they were not sent', async () => {
  const workspace = await dashboard.newWorkspace()
  await workspace.anEmail('stranger@example.com')
  await dashboard.settle()
  const page = await dashboard.open(workspace, '/mails')
  await page.getByRole('cell', { name: 'stranger@example.com' }).waitFor()
  await page.getByLabel('Status').selectOption('failed')
  await page.getByText('Nothing matches').waitFor()
  await page.getByRole('button', { name: 'Clear filters' }).first().click()
  await page.getByRole('link', { name: 'Receipt' }).click()
  await page.getByText('This installation has no mail server.').waitFor()
  await page.frameLocator('iframe').getByText('€12.99').waitFor()
})

test('a person who may not change settings sees the preview and cannot save', async () => {
  const workspace = await dashboard.newWorkspace()
  const page = await dashboard.open(workspace, '/mails?tab=settings', 'DEVELOPER')
  await page.getByRole('button', { name: 'View Receipt' }).click()
  const save = page.getByRole('dialog').getByRole('button', { name: 'Save e-mail' })
  await expect.poll(() => save.getAttribute('aria-disabled')).toBe('true')
})

test('the frame of an e-mail runs no script, sends no request, and cannot be shown by other sites', async () => {
  const response = await fetch(`${dashboard.dashboardUrl}/mail-frame`)
  const policy = response.headers.get('content-security-policy')
  expect(policy).toContain('sandbox allow-scripts')
  expect(policy).toContain(`frame-ancestors ${dashboard.dashboardUrl}`)

  const workspace = await dashboard.newWorkspace()
  const page = await dashboard.open(workspace, '/account')
  const received = await page.evaluate(`(async () => {
    const frame = document.createElement('iframe')
    frame.setAttribute('sandbox', 'allow-scripts')
    frame.src = '/mail-frame'
    document.body.append(frame)
    await new Promise((resolve) => frame.addEventListener('load', resolve))
    const messages = []
    addEventListener('message', ({ data }) => messages.push(data))
    const send = (html) => frame.contentWindow.postMessage({ html }, '*')
    send('<p>Hello</p><script>parent.postMessage("script ran", "*")</' + 'script>')
    send('<p>Another e-mail</p>')
    while (messages.length < 2) await new Promise((resolve) => setTimeout(resolve, 10))
    return messages
  })()`)
  expect(received).toEqual([{ height: expect.any(Number) }, { height: expect.any(Number) }])
})
