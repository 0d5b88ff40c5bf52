/** Where the page begins: reads from its address what is to be paid, and ties the till to this browser. */
import { render } from 'preact'
import type { State } from './state.ts'
import { type Place, Till } from './till.ts'
import { Checkout } from './view/checkout.tsx'
import { forgetCard, keepForReturn, recallFrom } from './view/typed.ts'

const root = document.getElementById('checkout') as HTMLElement
const place = placeOf(location)
const till: Till = new Till(place, {
  show,
  isOnline: () => navigator.onLine,
  goTo(url) {
    keepForReturn(till.sessionId ?? '')
    if (isWeb(url)) location.assign(url)
  },
  finish: (url) => isWeb(url) && location.replace(url),
})

if (place.is === 'session') recallFrom(place.id)
addEventListener('online', ask)
document.addEventListener('visibilitychange', ask)
// A page that the browser kept while we were elsewhere shows what was true then.
addEventListener('pageshow', ({ persisted }) => persisted && ask())
void till.start()

function show(state: State): void {
  if (state.is === 'receipt') forgetCard()
  root.querySelector('.skeleton')?.remove()
  render(<Checkout state={state} till={till} />, root)
}

function ask(): void {
  if (document.visibilityState === 'visible') void till.readAgain()
}

function placeOf({ pathname, hash }: Location): Place {
  const [, kind, name = ''] = pathname.split('/').map(decodeURIComponent)
  if (kind === 'l') return { is: 'link', slug: name }
  return { is: 'session', id: name, secret: hash.length > 1 ? hash.slice(1) : null }
}

/** An address that is none of the web would run here as a script. */
function isWeb(url: string): boolean {
  return /^https?:$/.test(new URL(url, location.href).protocol)
}
