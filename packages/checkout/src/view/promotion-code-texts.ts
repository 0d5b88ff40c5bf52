/** The UI text of promotion codes. It is not in the translations of the page, because most pages do not show it. */
import { currentLocale } from '../translations.ts'

const en = {
  add: 'Add promotion code',
  code: 'Promotion code',
  apply: 'Apply code',
  remove: 'Remove code',
  applied: '{code} applied: {name}',
  invalid: 'This code is not valid for this order.',
  limit: 'Too many codes were tried. Pay without a code, or try again later.',
  failed: 'The connection was lost. Try again.',
}
type Texts = { readonly [K in keyof typeof en]: string }

const languages: Readonly<Record<string, Texts>> = {
  en,
  de: {
    add: 'Gutscheincode eingeben',
    code: 'Gutscheincode',
    apply: 'Code einlösen',
    remove: 'Code entfernen',
    applied: '{code} eingelöst: {name}',
    invalid: 'Dieser Code gilt nicht für diese Bestellung.',
    limit: 'Es wurden zu viele Codes eingegeben. Zahlen Sie ohne Code, oder versuchen Sie es später.',
    failed: 'Die Verbindung wurde unterbrochen. Versuchen Sie es noch einmal.',
  },
  es: {
    add: 'Añadir código promocional',
    code: 'Código promocional',
    apply: 'Aplicar código',
    remove: 'Quitar código',
    applied: '{code} aplicado: {name}',
    invalid: 'Este código no es válido para este pedido.',
    limit: 'Se han probado demasiados códigos. Pague sin código o inténtelo más tarde.',
    failed: 'Se perdió la conexión. Inténtelo de nuevo.',
  },
  fr: {
    add: 'Ajouter un code promo',
    code: 'Code promo',
    apply: 'Appliquer le code',
    remove: 'Retirer le code',
    applied: '{code} appliqué : {name}',
    invalid: 'Ce code n’est pas valable pour cette commande.',
    limit: 'Trop de codes ont été essayés. Payez sans code ou réessayez plus tard.',
    failed: 'La connexion a été perdue. Réessayez.',
  },
  ja: {
    add: 'プロモーションコードを追加',
    code: 'プロモーションコード',
    apply: 'コードを適用',
    remove: 'コードを削除',
    applied: '{code}を適用しました：{name}',
    invalid: 'このコードはこのご注文には使用できません。',
    limit: 'コードの入力回数が多すぎます。コードなしでお支払いいただくか、後でもう一度お試しください。',
    failed: '接続が切れました。もう一度お試しください。',
  },
  ar: {
    add: 'أضف رمزًا ترويجيًا',
    code: 'الرمز الترويجي',
    apply: 'طبّق الرمز',
    remove: 'أزل الرمز',
    applied: 'طُبّق {code}: {name}',
    invalid: 'هذا الرمز غير صالح لهذا الطلب.',
    limit: 'جُرّبت رموز كثيرة جدًا. ادفع دون رمز أو حاول لاحقًا.',
    failed: 'انقطع الاتصال. حاول مرة أخرى.',
  },
}

export function textOf(name: keyof Texts, values: Readonly<Record<string, string>> = {}): string {
  const texts = languages[currentLocale().split('-', 1)[0] as string] ?? en
  return texts[name].replace(/\{(\w+)\}/g, (_, key: string) => values[key] ?? '')
}
