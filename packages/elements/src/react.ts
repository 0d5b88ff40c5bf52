/** The payment element for React 18 and later. */
import { createElement, forwardRef, useEffect, useImperativeHandle, useRef } from 'react'
import type { ElementEvents, Elements, PaymentElement as Payment } from './index.ts'

export type PaymentElementProps = {
  /** The result of `switchyard(…)`. Create it once, for example with `useState`. */
  readonly elements: Elements
  readonly className?: string
  readonly onReady?: () => void
  readonly onChange?: (change: ElementEvents['change']) => void
  readonly onEscape?: () => void
  readonly onError?: (error: ElementEvents['error']) => void
}

export type PaymentElementHandle = Pick<Payment, 'confirm' | 'focus'>

/** Draws the frame. Its ref has `confirm` and `focus`. */
export const PaymentElement = forwardRef<PaymentElementHandle, PaymentElementProps>((props, ref) => {
  const { elements, className } = props
  const place = useRef<HTMLDivElement>(null)
  const payment = useRef<Payment | null>(null)
  // The listeners always call the props of the latest render.
  const latest = useRef(props)
  latest.current = props
  useEffect(() => {
    const element = elements.create('payment')
    element.on('ready', () => latest.current.onReady?.())
    element.on('change', (change) => latest.current.onChange?.(change))
    element.on('escape', () => latest.current.onEscape?.())
    element.on('error', (error) => latest.current.onError?.(error))
    payment.current = element.mount(place.current as HTMLDivElement)
    return () => {
      payment.current = null
      element.unmount()
    }
  }, [elements])
  useImperativeHandle(
    ref,
    () => ({
      confirm(options) {
        if (payment.current === null) throw new Error('The payment element is not mounted.')
        return payment.current.confirm(options)
      },
      focus: () => payment.current?.focus(),
    }),
    [],
  )
  return createElement('div', { ref: place, ...(className !== undefined && { className }) })
})
PaymentElement.displayName = 'PaymentElement'
