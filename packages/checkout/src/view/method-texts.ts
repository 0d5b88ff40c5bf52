/**
 * The UI text of methods other than cards, in the languages of the page. It is not part of the translations, because
 * most pages do not need it.
 */
import { currentLocale } from '../translations.ts'

const en = {
  legend: 'Payment method',
  sepa_debit: 'SEPA direct debit',
  ach_debit: 'ACH direct debit',
  bacs_debit: 'Bacs Direct Debit',
  next: 'You approve the payment at {method} in the next step.',
  holder: 'Account holder',
  title: 'Continue with {method}',
  text: '{amount} to {seller}. You have not approved this payment yet.',
  go: 'Continue to {method}',
  other: 'Pay another way',
  open: 'This payment is still open at {method}. Complete or cancel it there before you pay another way.',
}
type Texts = typeof en

const texts: Readonly<Record<string, Texts>> = {
  en,
  de: {
    legend: 'Zahlungsart',
    sepa_debit: 'SEPA-Lastschrift',
    ach_debit: 'ACH-Lastschrift',
    bacs_debit: 'Bacs-Lastschrift',
    next: 'Im nächsten Schritt bestätigen Sie die Zahlung bei {method}.',
    holder: 'Kontoinhaber',
    title: 'Weiter mit {method}',
    text: '{amount} an {seller}. Sie haben diese Zahlung noch nicht bestätigt.',
    go: 'Weiter zu {method}',
    other: 'Anders bezahlen',
    open: 'Diese Zahlung ist bei {method} noch offen. Schließen Sie sie dort ab oder brechen Sie sie dort ab, bevor Sie anders bezahlen.',
  },
  es: {
    legend: 'Forma de pago',
    sepa_debit: 'Adeudo domiciliado SEPA',
    ach_debit: 'Adeudo directo ACH',
    bacs_debit: 'Adeudo directo Bacs',
    next: 'En el siguiente paso aprobará el pago en {method}.',
    holder: 'Titular de la cuenta',
    title: 'Continuar con {method}',
    text: '{amount} a {seller}. Todavía no ha aprobado este pago.',
    go: 'Continuar a {method}',
    other: 'Pagar de otra forma',
    open: 'Este pago sigue abierto en {method}. Complételo o cancélelo allí antes de pagar de otra forma.',
  },
  fr: {
    legend: 'Moyen de paiement',
    sepa_debit: 'Prélèvement SEPA',
    ach_debit: 'Prélèvement ACH',
    bacs_debit: 'Prélèvement Bacs',
    next: 'À l’étape suivante, vous approuvez le paiement chez {method}.',
    holder: 'Titulaire du compte',
    title: 'Continuer avec {method}',
    text: '{amount} à {seller}. Vous n’avez pas encore approuvé ce paiement.',
    go: 'Continuer vers {method}',
    other: 'Payer autrement',
    open: 'Ce paiement est encore ouvert chez {method}. Terminez-le ou annulez-le là-bas avant de payer autrement.',
  },
  ja: {
    legend: 'お支払い方法',
    sepa_debit: 'SEPA口座振替',
    ach_debit: 'ACH口座振替',
    bacs_debit: 'Bacs口座振替',
    next: '次の画面で{method}にてお支払いを承認します。',
    holder: '口座名義人',
    title: '{method}で続ける',
    text: '{seller}へ{amount}。このお支払いはまだ承認されていません。',
    go: '{method}へ進む',
    other: '別の方法で支払う',
    open: 'このお支払いは{method}でまだ処理中です。別の方法で支払う前に、{method}で完了またはキャンセルしてください。',
  },
  ar: {
    legend: 'طريقة الدفع',
    sepa_debit: 'الخصم المباشر SEPA',
    ach_debit: 'الخصم المباشر ACH',
    bacs_debit: 'الخصم المباشر Bacs',
    next: 'في الخطوة التالية توافق على الدفعة لدى {method}.',
    holder: 'صاحب الحساب',
    title: 'المتابعة باستخدام {method}',
    text: '{amount} إلى {seller}. لم توافق على هذه الدفعة بعد.',
    go: 'المتابعة إلى {method}',
    other: 'الدفع بطريقة أخرى',
    open: 'لا تزال هذه الدفعة مفتوحة لدى {method}. أكملها أو ألغها هناك قبل الدفع بطريقة أخرى.',
  },
}

/** The language of the page and of the text of its methods. */
export function languageShown(): string {
  const language = currentLocale().split('-', 1)[0] ?? 'en'
  return language in texts ? language : 'en'
}

export function text(key: keyof Texts, values: Readonly<Record<string, string>> = {}): string {
  return fillIn((texts[languageShown()] ?? en)[key], values)
}

/** Replaces `{name}` with the value of that name. */
export function fillIn(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? '')
}

const names: Readonly<Record<string, string>> = {
  ideal: 'iDEAL',
  bancontact: 'Bancontact',
  paypal: 'PayPal',
}

export function nameOfMethod(type: string): string {
  return names[type] ?? text(type as keyof Texts)
}
