/**
 * The text of bank debits, in the languages of the page: the mandate of the SEPA scheme, and the authorization that
 * Nacha requires for ACH debits. Their version is stored with the acceptance.
 */
import { fillIn, languageShown } from './method-texts.ts'

/** Change it whenever a mandate text changes. */
const mandateTextVersion = '2026-11'

const en = {
  iban_missing: 'Enter your IBAN.',
  iban_wrong: 'Check the IBAN. One or more characters are wrong.',
  sepa: 'By paying, you authorize (A) {seller} to send instructions to your bank to debit your account and (B) your bank to debit your account in accordance with those instructions. As part of your rights, you are entitled to a refund from your bank under the terms and conditions of your agreement with your bank. A refund must be claimed within 8 weeks starting from the date on which your account was debited.',
  routing: 'Routing number',
  routing_wrong: 'Check the routing number. It has nine digits.',
  account: 'Account number',
  account_wrong: 'Check the account number.',
  account_type: 'Account type',
  checking: 'Checking',
  savings: 'Savings',
  sort_code: 'Sort code',
  sort_code_wrong: 'Check the sort code. It has six digits.',
  ach_once:
    'By paying, you authorize {seller} to debit the amount on this page from the account above once, electronically through the ACH network, on or after today’s date. If the debit contains an error, {seller} may correct it with another debit or credit. You can revoke this authorization by notifying {seller} before the debit is submitted to your bank.',
  ach_again:
    'By continuing, you authorize {seller} to debit the account above electronically through the ACH network: today for the amount on this page, if any, and later for the amounts that you owe under your agreement with {seller}. The authorization is valid until you revoke it. To revoke it, notify {seller} at least 3 business days before a debit. Other amounts require a new authorization. If a debit contains an error, {seller} may correct it with another debit or credit.',
}
type Texts = typeof en

const texts: Readonly<Record<string, Texts>> = {
  en,
  de: {
    iban_missing: 'Geben Sie Ihre IBAN ein.',
    iban_wrong: 'Prüfen Sie die IBAN. Mindestens ein Zeichen ist falsch.',
    sepa: 'Mit der Zahlung ermächtigen Sie (A) {seller}, Zahlungen von Ihrem Konto mittels Lastschrift einzuziehen, und weisen (B) Ihr Kreditinstitut an, die von {seller} auf Ihr Konto gezogenen Lastschriften einzulösen. Sie können innerhalb von acht Wochen, beginnend mit dem Belastungsdatum, die Erstattung des belasteten Betrages verlangen. Es gelten dabei die mit Ihrem Kreditinstitut vereinbarten Bedingungen.',
    routing: 'Routing-Nummer',
    routing_wrong: 'Prüfen Sie die Routing-Nummer. Sie hat neun Ziffern.',
    account: 'Kontonummer',
    account_wrong: 'Prüfen Sie die Kontonummer.',
    account_type: 'Kontoart',
    checking: 'Girokonto',
    savings: 'Sparkonto',
    sort_code: 'Sort Code',
    sort_code_wrong: 'Prüfen Sie den Sort Code. Er hat sechs Ziffern.',
    ach_once:
      'Mit der Zahlung ermächtigen Sie {seller}, den auf dieser Seite genannten Betrag einmalig, frühestens heute, elektronisch über das ACH-Netz vom oben genannten Konto einzuziehen. Ist die Lastschrift fehlerhaft, darf {seller} sie durch eine weitere Lastschrift oder Gutschrift berichtigen. Sie können diese Ermächtigung widerrufen, indem Sie {seller} benachrichtigen, bevor die Lastschrift bei Ihrer Bank eingereicht wird.',
    ach_again:
      'Mit dem Fortfahren ermächtigen Sie {seller}, das oben genannte Konto elektronisch über das ACH-Netz zu belasten: heute mit dem auf dieser Seite genannten Betrag, falls vorhanden, und später mit den Beträgen, die Sie {seller} aufgrund Ihres Vertrags schulden. Die Ermächtigung gilt bis zu Ihrem Widerruf. Für den Widerruf benachrichtigen Sie {seller} mindestens 3 Geschäftstage vor einer Lastschrift. Andere Beträge erfordern eine neue Ermächtigung. Ist eine Lastschrift fehlerhaft, darf {seller} sie durch eine weitere Lastschrift oder Gutschrift berichtigen.',
  },
  es: {
    iban_missing: 'Introduzca su IBAN.',
    iban_wrong: 'Compruebe el IBAN. Uno o más caracteres son incorrectos.',
    sepa: 'Al pagar, usted autoriza (A) a {seller} a enviar instrucciones a su entidad para adeudar su cuenta y (B) a su entidad a efectuar los adeudos en su cuenta siguiendo esas instrucciones. Como parte de sus derechos, está legitimado al reembolso por su entidad en los términos y condiciones del contrato suscrito con ella. La solicitud de reembolso deberá efectuarse dentro de las ocho semanas siguientes a la fecha de adeudo en cuenta.',
    routing: 'Número de ruta',
    routing_wrong: 'Compruebe el número de ruta. Tiene nueve dígitos.',
    account: 'Número de cuenta',
    account_wrong: 'Compruebe el número de cuenta.',
    account_type: 'Tipo de cuenta',
    checking: 'Cuenta corriente',
    savings: 'Cuenta de ahorro',
    sort_code: 'Código de clasificación (sort code)',
    sort_code_wrong: 'Compruebe el código de clasificación. Tiene seis dígitos.',
    ach_once:
      'Al pagar, usted autoriza a {seller} a adeudar una sola vez el importe de esta página en la cuenta indicada arriba, por vía electrónica a través de la red ACH, a partir de la fecha de hoy. Si el adeudo contiene un error, {seller} podrá corregirlo con otro adeudo o abono. Puede revocar esta autorización notificándolo a {seller} antes de que el adeudo se envíe a su banco.',
    ach_again:
      'Al continuar, usted autoriza a {seller} a adeudar la cuenta indicada arriba por vía electrónica a través de la red ACH: hoy, el importe de esta página, si lo hay, y más adelante, los importes que deba según su contrato con {seller}. La autorización es válida hasta que la revoque. Para revocarla, notifíquelo a {seller} al menos 3 días hábiles antes de un adeudo. Otros importes requieren una nueva autorización. Si un adeudo contiene un error, {seller} podrá corregirlo con otro adeudo o abono.',
  },
  fr: {
    iban_missing: 'Saisissez votre IBAN.',
    iban_wrong: 'Vérifiez l’IBAN. Un ou plusieurs caractères sont incorrects.',
    sepa: 'En payant, vous autorisez (A) {seller} à envoyer des instructions à votre banque pour débiter votre compte, et (B) votre banque à débiter votre compte conformément à ces instructions. Vous bénéficiez du droit d’être remboursé par votre banque selon les conditions décrites dans la convention que vous avez passée avec elle. Une demande de remboursement doit être présentée dans les 8 semaines suivant la date de débit de votre compte.',
    routing: 'Numéro de routage',
    routing_wrong: 'Vérifiez le numéro de routage. Il comporte neuf chiffres.',
    account: 'Numéro de compte',
    account_wrong: 'Vérifiez le numéro de compte.',
    account_type: 'Type de compte',
    checking: 'Compte courant',
    savings: 'Compte d’épargne',
    sort_code: 'Code guichet (sort code)',
    sort_code_wrong: 'Vérifiez le code guichet. Il comporte six chiffres.',
    ach_once:
      'En payant, vous autorisez {seller} à prélever une seule fois le montant de cette page sur le compte ci-dessus, par voie électronique via le réseau ACH, à compter d’aujourd’hui. Si le prélèvement comporte une erreur, {seller} peut la corriger par un autre débit ou crédit. Vous pouvez révoquer cette autorisation en informant {seller} avant que le prélèvement ne soit transmis à votre banque.',
    ach_again:
      'En continuant, vous autorisez {seller} à débiter le compte ci-dessus par voie électronique via le réseau ACH : aujourd’hui du montant de cette page, le cas échéant, puis des montants dus au titre de votre contrat avec {seller}. L’autorisation est valable jusqu’à sa révocation. Pour la révoquer, informez {seller} au moins 3 jours ouvrables avant un prélèvement. Tout autre montant exige une nouvelle autorisation. Si un prélèvement comporte une erreur, {seller} peut la corriger par un autre débit ou crédit.',
  },
  ja: {
    iban_missing: 'IBANを入力してください。',
    iban_wrong: 'IBANをご確認ください。誤った文字があります。',
    sepa: 'お支払いにより、(A) {seller}がお客様の口座からの引き落としを銀行に指示すること、および (B) 銀行がその指示に従って引き落とすことを承認します。お客様は、銀行との契約条件に従って銀行から返金を受ける権利を有します。返金は、引き落とし日から8週間以内に請求する必要があります。',
    routing: 'ルーティング番号',
    routing_wrong: 'ルーティング番号をご確認ください。9桁です。',
    account: '口座番号',
    account_wrong: '口座番号をご確認ください。',
    account_type: '口座の種類',
    checking: '当座預金',
    savings: '普通預金',
    sort_code: 'ソートコード',
    sort_code_wrong: 'ソートコードをご確認ください。6桁です。',
    ach_once:
      'お支払いにより、{seller}が本日以降、このページの金額を上記の口座からACHネットワークを通じて電子的に1回引き落とすことを承認します。引き落としに誤りがある場合、{seller}は追加の引き落としまたは入金により訂正できます。引き落としが銀行に送信される前に{seller}に通知することで、この承認を取り消せます。',
    ach_again:
      '続行することにより、{seller}が上記の口座からACHネットワークを通じて電子的に引き落とすことを承認します。本日はこのページの金額（ある場合）、その後は{seller}との契約に基づきお支払いいただく金額が対象です。この承認は、お客様が取り消すまで有効です。取り消すには、引き落としの3営業日前までに{seller}に通知してください。その他の金額には新たな承認が必要です。引き落としに誤りがある場合、{seller}は追加の引き落としまたは入金により訂正できます。',
  },
  ar: {
    iban_missing: 'أدخل رقم IBAN.',
    iban_wrong: 'تحقق من رقم IBAN. يوجد رمز غير صحيح أو أكثر.',
    sepa: 'بالدفع، تفوّض (أ) {seller} بإرسال تعليمات إلى بنكك لخصم المبلغ من حسابك، و(ب) بنكك بخصم المبلغ من حسابك وفقًا لهذه التعليمات. ومن حقوقك استرداد المبلغ من بنكك وفقًا لشروط اتفاقك معه. ويجب طلب الاسترداد خلال 8 أسابيع من تاريخ الخصم من حسابك.',
    routing: 'رقم التوجيه',
    routing_wrong: 'تحقق من رقم التوجيه. يتكون من تسعة أرقام.',
    account: 'رقم الحساب',
    account_wrong: 'تحقق من رقم الحساب.',
    account_type: 'نوع الحساب',
    checking: 'حساب جارٍ',
    savings: 'حساب توفير',
    sort_code: 'رمز الفرز (sort code)',
    sort_code_wrong: 'تحقق من رمز الفرز. يتكون من ستة أرقام.',
    ach_once:
      'بالدفع، تفوّض {seller} بخصم المبلغ المبيّن في هذه الصفحة من الحساب أعلاه مرة واحدة، إلكترونيًا عبر شبكة ACH، اعتبارًا من تاريخ اليوم. وإذا احتوى الخصم على خطأ، يجوز لـ{seller} تصحيحه بخصم أو إيداع آخر. ويمكنك إلغاء هذا التفويض بإشعار {seller} قبل إرسال الخصم إلى بنكك.',
    ach_again:
      'بالمتابعة، تفوّض {seller} بالخصم من الحساب أعلاه إلكترونيًا عبر شبكة ACH: اليوم المبلغ المبيّن في هذه الصفحة إن وُجد، ولاحقًا المبالغ المستحقة عليك بموجب اتفاقك مع {seller}. ويسري التفويض حتى تلغيه. ولإلغائه، أشعر {seller} قبل أي خصم بثلاثة أيام عمل على الأقل. وتتطلب المبالغ الأخرى تفويضًا جديدًا. وإذا احتوى خصم على خطأ، يجوز لـ{seller} تصحيحه بخصم أو إيداع آخر.',
  },
}

export function debitText(key: keyof Texts, values: Readonly<Record<string, string>> = {}): string {
  return fillIn((texts[languageShown()] ?? en)[key], values)
}

/** Which text the payer has accepted, such as `2026-11-de`. */
export function acceptedTextVersion(): string {
  return `${mandateTextVersion}-${languageShown()}`
}
