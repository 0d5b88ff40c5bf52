/**
 * Simulates the payer: opens the bank's page, and receives the redirect back, with the provider's parameters,
 * on a local server.
 */
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { PayerAction } from '../../packages/server/src/providers/contract.ts'
import { SmokeFault } from './report.ts'

type Params = Readonly<Record<string, string>>

export type Payer = {
  readonly returnUrl: string
  /** Waits until the payer has completed the action, and returns the return parameters. */
  complete(action: PayerAction): Promise<Params>
  close(): Promise<void>
}

/** Opens the page, or shows its URL. */
type OpenPage = (action: PayerAction, page: string) => Promise<void>

const payerMinutes = 10
const returnPath = '/return'

/** A person opens the page in a browser on this machine. */
export function waitingPayer(print: (line: string) => void): Promise<Payer> {
  return startPayer(async (action, page) => {
    const url = action.type === 'form' ? page : action.url
    print(`       Open this URL within ${payerMinutes} minutes and confirm the payment: ${url}`)
  })
}

/** Opens the page automatically and follows its redirects. For emulators, whose page confirms without a click. */
export function automaticPayer(): Promise<Payer> {
  return startPayer(async (action) => {
    const { status, url } =
      action.type === 'form'
        ? await fetch(action.url, { method: 'POST', body: new URLSearchParams(action.fields) })
        : await fetch(action.url)
    if (new URL(url).pathname !== returnPath)
      throw new SmokeFault(`The page of the bank did not return the payer. Its status is ${status}.`)
  })
}

async function startPayer(openPage: OpenPage): Promise<Payer> {
  let onReturn: (params: Params) => void = () => {}
  let formPage = ''
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
    const isReturn = pathname === returnPath
    if (isReturn) onReturn(Object.fromEntries([...searchParams, ...(await formIn(request))]))
    response.setHeader('content-type', 'text/html; charset=utf-8')
    response.end(isReturn ? '<p>Done. You can close this window.</p>' : formPage)
  })
  const port = await listen(server)
  return {
    returnUrl: `http://localhost:${port}${returnPath}`,
    async complete(action) {
      formPage = action.type === 'form' ? pageOf(action.url, action.fields) : ''
      const waiting = Promise.withResolvers<Params>()
      onReturn = waiting.resolve
      const late = new SmokeFault(`The payer did not return within ${payerMinutes} minutes.`)
      const timer = setTimeout(() => waiting.reject(late), payerMinutes * 60_000)
      try {
        await openPage(action, `http://localhost:${port}/form`)
        return await waiting.promise
      } finally {
        clearTimeout(timer)
      }
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, 'localhost', resolve)
  })
  return (server.address() as AddressInfo).port
}

/** Some banks return the payer with a form. */
async function formIn(request: IncomingMessage): Promise<URLSearchParams> {
  const chunks = await request.toArray()
  return new URLSearchParams(Buffer.concat(chunks).toString())
}

function pageOf(url: string, fields: Params): string {
  const escapeHtml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;')
  const inputs = Object.entries(fields).map(
    ([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`,
  )
  return `<form method="post" action="${escapeHtml(url)}">${inputs.join('')}<button>Continue</button></form>`
}
