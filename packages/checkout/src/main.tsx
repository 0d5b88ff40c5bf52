/** The entry point: reads the link or session from the URL, and connects the payment controller to the browser. */
import { render } from 'preact'
import { type PageTarget, PaymentController } from './payment-controller.ts'
import type { State } from './state.ts'
import { Checkout } from './view/checkout.tsx'
import { clearCard, restoreInput, saveInputForReturn } from './view/form-input.ts'

const root = document.getElementById('checkout') as HTMLElement
const target = targetOf(location)
const pageName = target.kind === 'session' ? target.id : target.slug
const controller: PaymentController = new PaymentController(target, {
  show,
  isOnline: () => navigator.onLine,
  redirectTo(url) {
    saveInputForReturn(controller.sessionId ?? '')
    if (isHttpUrl(url)) location.assign(url)
  },
  reload(url) {
    saveInputForReturn(pageName)
    location.replace(url)
  },
  finish: (url) => isHttpUrl(url) && location.replace(url),
})

restoreInput(pageName)
addEventListener('online', refreshIfVisible)
document.addEventListener('visibilitychange', refreshIfVisible)
// A page restored from the back/forward cache shows old state, so read it again.
addEventListener('pageshow', ({ persisted }) => persisted && refreshIfVisible())
void controller.start()

function show(state: State): void {
  if (state.kind === 'receipt') clearCard()
  root.querySelector('.skeleton')?.remove()
  render(<Checkout state={state} controller={controller} />, root)
}

function refreshIfVisible(): void {
  if (document.visibilityState === 'visible') void controller.refresh()
}

function targetOf({ pathname, hash }: Location): PageTarget {
  const [, kind, name = ''] = pathname.split('/').map(decodeURIComponent)
  if (kind === 'l') return { kind: 'link', slug: name }
  return { kind: 'session', id: name, secret: hash.length > 1 ? hash.slice(1) : null }
}

/** Only http and https: a `javascript:` URL would run as a script. */
function isHttpUrl(url: string): boolean {
  return /^https?:$/.test(new URL(url, location.href).protocol)
}
