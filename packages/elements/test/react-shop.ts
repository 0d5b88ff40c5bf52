// A page with the React component, for the test in packages/server/test/pages/elements.test.ts.

import { createElement, StrictMode, useRef, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { switchyard } from '../src/index.ts'
import { PaymentElement, type PaymentElementHandle } from '../src/react.ts'

const { key, session, baseUrl } = JSON.parse(new URLSearchParams(location.search).get('config') ?? '')

function Shop() {
  const [elements] = useState(() => switchyard(key, { baseUrl, session }))
  const [isComplete, setComplete] = useState(false)
  const [outcome, setOutcome] = useState('')
  const payment = useRef<PaymentElementHandle>(null)
  const pay = async () => setOutcome((await payment.current?.confirm())?.status ?? '')
  return createElement(
    'div',
    null,
    createElement(PaymentElement, {
      ref: payment,
      elements,
      onChange: ({ complete }) => setComplete(complete),
    }),
    createElement('button', { id: 'react-buy', type: 'button', onClick: pay, disabled: !isComplete }, 'Buy'),
    createElement('output', null, outcome),
  )
}

createRoot(document.querySelector('#pay') as HTMLElement).render(
  createElement(StrictMode, null, createElement(Shop)),
)
