/**
 * The entry point of the frame. It waits for the first message of the page that embeds it, and checks its origin and its
 * source: the server has checked that this origin may embed the frame, and the content security policy enforces it.
 * Then it ignores all messages of the window, and uses only the port that came with the first one.
 */
import { type PageMessage, readPageMessage } from '../../../elements/src/messages.ts'
import { startElement } from './start-element.tsx'

type Init = Extract<PageMessage, { type: 'init' }>

const embedder = new URLSearchParams(location.search).get('origin')

addEventListener('message', receiveInit)

function receiveInit(event: MessageEvent): void {
  const { source, origin, data, ports } = event
  const [port] = ports
  if (source !== parent || parent === window || origin !== embedder || port === undefined) return
  const message = readPageMessage(data)
  if (message?.type !== 'init') return
  removeEventListener('message', receiveInit)
  connect(port, message)
}

function connect(port: MessagePort, init: Init): void {
  const element = startElement(init, (message) => port.postMessage(message))
  port.onmessage = ({ data }) => {
    const message = readPageMessage(data)
    if (message === null || message.type === 'init') return
    element.receive(message)
    if (message.type === 'unmount') port.close()
  }
}
