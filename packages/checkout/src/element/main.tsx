/**
 * The entry point of the frame. It waits for the first message from the page that embeds it, and checks the
 * origin and the source of the message: the server has checked that this origin may embed the frame, and the
 * content security policy enforces it. Afterwards it ignores all messages to the window, and uses only the
 * port that it received with the first message.
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
