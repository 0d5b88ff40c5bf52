/** The UI text of subscriptions. It is not in the translations of the page, because most pages do not show it. */
import { currentLocale } from '../translations.ts'

const en = {
  per_day: '{price} per day',
  per_week: '{price} per week',
  per_month: '{price} per month',
  per_year: '{price} per year',
  every: '{price} every {time}',
  terms_next: '{price}, next charged on {date}.',
  terms_trial: 'Free until {date}, then {price}.',
  fewer: 'Decrease',
  more: 'Increase',
}
type Texts = { readonly [K in keyof typeof en]: string }

const languages: Readonly<Record<string, Texts>> = {
  en,
  de: {
    per_day: '{price} pro Tag',
    per_week: '{price} pro Woche',
    per_month: '{price} pro Monat',
    per_year: '{price} pro Jahr',
    every: '{price} alle {time}',
    terms_next: '{price}, nächste Zahlung am {date}.',
    terms_trial: 'Kostenlos bis {date}, danach {price}.',
    fewer: 'Verringern',
    more: 'Erhöhen',
  },
  es: {
    per_day: '{price} al día',
    per_week: '{price} a la semana',
    per_month: '{price} al mes',
    per_year: '{price} al año',
    every: '{price} cada {time}',
    terms_next: '{price}, próximo cargo el {date}.',
    terms_trial: 'Gratis hasta el {date}, después {price}.',
    fewer: 'Reducir',
    more: 'Aumentar',
  },
  fr: {
    per_day: '{price} par jour',
    per_week: '{price} par semaine',
    per_month: '{price} par mois',
    per_year: '{price} par an',
    every: '{price} tous les {time}',
    terms_next: '{price}, prochain débit le {date}.',
    terms_trial: 'Gratuit jusqu’au {date}, puis {price}.',
    fewer: 'Diminuer',
    more: 'Augmenter',
  },
  ja: {
    per_day: '1日あたり{price}',
    per_week: '1週間あたり{price}',
    per_month: '1か月あたり{price}',
    per_year: '1年あたり{price}',
    every: '{time}ごとに{price}',
    terms_next: '{price}。次回の請求日は{date}です。',
    terms_trial: '{date}まで無料、その後は{price}。',
    fewer: '減らす',
    more: '増やす',
  },
  ar: {
    per_day: '{price} يوميًا',
    per_week: '{price} أسبوعيًا',
    per_month: '{price} شهريًا',
    per_year: '{price} سنويًا',
    every: '{price} كل {time}',
    terms_next: '{price}، الدفعة التالية في {date}.',
    terms_trial: 'مجانًا حتى {date}، ثم {price}.',
    fewer: 'إنقاص',
    more: 'زيادة',
  },
}

export function textOf(name: keyof Texts, values: Readonly<Record<string, string>> = {}): string {
  const texts = languages[currentLocale().split('-', 1)[0] as string] ?? en
  return texts[name].replace(/\{(\w+)\}/g, (_, key: string) => values[key] ?? '')
}
