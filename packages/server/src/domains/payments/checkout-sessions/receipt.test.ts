import { expect, test } from 'vitest'
import { moneyText } from '../../../kernel/money-text.ts'
import { type Receipt, receiptMail } from './receipt.ts'

const receipt: Receipt = {
  seller: 'Café Zürich',
  amount: 2598n,
  currency: 'eur',
  isAuthorizationOnly: false,
  items: [{ name: 'A book', quantity: 2, amount: 2598 }],
  description: 'Order 4711',
  card: { brand: 'visa', last4: '4242' },
  paidAt: new Date('2026-11-14T12:34:56.000Z'),
  reference: 'payment_01M7CYVSCBEAKS6M475NRJM4KW',
  statementDescriptor: 'CAFE ZUERICH',
  locale: 'en-GB',
  isTest: false,
}

test('a receipt contains seller, items, amount, card, date and reference', () => {
  expect(receiptMail(receipt)).toEqual({
    subject: 'Your receipt from Café Zürich',
    text: `Café Zürich

Thank you for your payment.

Order 4711

2 × A book: €25.98

Amount: €25.98
Paid with: Visa •••• 4242
Date: 14 November 2026 at 12:34 UTC
Reference: payment_01M7CYVSCBEAKS6M475NRJM4KW
On your statement: CAFE ZUERICH
`,
  })
})

test('a receipt without items, description or statement descriptor omits these parts', () => {
  const { text } = receiptMail({ ...receipt, items: [], description: null, statementDescriptor: null })

  expect(text).not.toMatch(/null|undefined|×|statement/)
  expect(text).not.toContain('\n\n\n')
})

test('the receipt of an authorization does not say paid, and a test receipt is marked as a test', () => {
  const { text } = receiptMail({ ...receipt, isAuthorizationOnly: true, isTest: true })

  expect(text).toContain('authorized on your card')
  expect(text).not.toContain('Thank you for your payment')
  expect(text).toContain('This was a test payment. Nothing was charged.')
})

test.each([
  ['de-CH', 'Ihr Beleg von Café Zürich', 'Bezahlt mit: Visa •••• 4242'],
  ['es', 'Su recibo de Café Zürich', 'Pagado con: Visa •••• 4242'],
  ['fr-FR', 'Votre reçu de Café Zürich', 'Payé avec: Visa •••• 4242'],
  ['ja', 'Café Zürichからの領収書', 'お支払い方法: Visa •••• 4242'],
  ['ar', 'إيصالك من Café Zürich', 'تم الدفع بواسطة: Visa •••• 4242'],
  ['tlh', 'Your receipt from Café Zürich', 'Visa •••• 4242'],
])('the receipt in the locale %s is translated', (locale, subject, line) => {
  const mail = receiptMail({ ...receipt, locale })

  expect(mail.subject).toBe(subject)
  expect(mail.text).toContain(line)
})

test('a line break in the name of the seller cannot add a header to the e-mail', () => {
  expect(receiptMail({ ...receipt, seller: 'Shop\r\nBcc: all@example.com' }).subject).toBe(
    'Your receipt from Shop Bcc: all@example.com',
  )
})

test.each([
  [1299n, 'jpy', '¥1,299'],
  [1299n, 'bhd', 'BHD 1.299'],
  // Intl would show these without decimal places.
  [1299n, 'huf', 'HUF 12.99'],
  [999_999_999_999n, 'usd', '$9,999,999,999.99'],
] as const)('%s of %s is %s', (amount, currency, text) => {
  expect(moneyText(amount, currency, 'en').replaceAll('\u00a0', ' ')).toBe(text)
})
