import { expect, test } from 'vitest'
import { amountText, type Receipt, receiptMail } from './receipt.ts'

const receipt: Receipt = {
  seller: 'Café Zürich',
  amount: 2598n,
  currency: 'eur',
  isHeld: false,
  items: [{ name: 'A book', quantity: 2, amount: 2598 }],
  description: 'Order 4711',
  card: { brand: 'visa', last4: '4242' },
  paidAt: new Date('2026-11-14T12:34:56.000Z'),
  reference: 'payment_01M7CYVSCBEAKS6M475NRJM4KW',
  statementDescriptor: 'CAFE ZUERICH',
  locale: 'en-GB',
  isTest: false,
}

test('a receipt says who was paid, what for, how much, with which card, when, and what to ask for', () => {
  expect(receiptMail(receipt)).toEqual({
    subject: 'Your receipt from Café Zürich',
    text: `Café Zürich

Thank you. You have paid.

Order 4711

2 × A book: €25.98

Amount: €25.98
Paid with: Visa ending in 4242
Date: 14 November 2026 at 12:34 UTC
Reference: payment_01M7CYVSCBEAKS6M475NRJM4KW
On your statement: CAFE ZUERICH
`,
  })
})

test('what there is nothing to say about is left out', () => {
  const { text } = receiptMail({ ...receipt, items: [], description: null, statementDescriptor: null })

  expect(text).not.toMatch(/null|undefined|×|statement/)
  expect(text).not.toContain('\n\n\n')
})

test('an amount that is held is not called paid, and a test is called a test', () => {
  const { text } = receiptMail({ ...receipt, isHeld: true, isTest: true })

  expect(text).toContain('held on your card')
  expect(text).not.toContain('You have paid')
  expect(text).toContain('This was a test. No money was moved.')
})

test.each([
  ['de-CH', 'Ihr Beleg von Café Zürich', 'Bezahlt mit: Visa mit den Endziffern 4242'],
  ['es', 'Su recibo de Café Zürich', 'Visa terminada en 4242'],
  ['fr-FR', 'Votre reçu de Café Zürich', 'Visa se terminant par 4242'],
  ['ja', 'Café Zürichからの領収書', 'Visa 末尾 4242'],
  ['ar', 'إيصالك من Café Zürich', 'Visa المنتهية بـ 4242'],
  ['tlh', 'Your receipt from Café Zürich', 'Visa ending in 4242'],
])('in %s', (locale, subject, line) => {
  const mail = receiptMail({ ...receipt, locale })

  expect(mail.subject).toBe(subject)
  expect(mail.text).toContain(line)
})

test('a name with a line break adds no header to the mail', () => {
  expect(receiptMail({ ...receipt, seller: 'Shop\r\nBcc: all@example.com' }).subject).toBe(
    'Your receipt from Shop Bcc: all@example.com',
  )
})

test.each([
  [1299n, 'jpy', '¥1,299'],
  [1299n, 'bhd', 'BHD 1.299'],
  // Of these Intl would show no decimal places at all.
  [1299n, 'huf', 'HUF 12.99'],
  [999_999_999_999n, 'usd', '$9,999,999,999.99'],
] as const)('%s of %s is %s', (amount, currency, text) => {
  expect(amountText(amount, currency, 'en').replaceAll('\u00a0', ' ')).toBe(text)
})
