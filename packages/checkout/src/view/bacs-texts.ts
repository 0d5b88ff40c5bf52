/**
 * The text of Bacs debits, in the languages of the page: the instruction to the bank, and the guarantee that the scheme
 * requires. Loaded when the payer chooses a Bacs debit.
 */
import { fillIn, languageShown } from './method-texts.ts'

const en = {
  instruction:
    'By continuing, you instruct your bank to pay Direct Debits from the account above to {seller}, subject to the safeguards of the Direct Debit Guarantee. You confirm that you are the account holder, and the only person required to authorize Direct Debits from this account.',
  title: 'The Direct Debit Guarantee',
  guarantee:
    'This Guarantee is offered by all banks and building societies that accept instructions to pay Direct Debits.\nIf there are any changes to the amount, date or frequency of your Direct Debit, {seller} will notify you 10 working days in advance of your account being debited or as otherwise agreed. If you request {seller} to collect a payment, confirmation of the amount and date will be given to you at the time of the request.\nIf an error is made in the payment of your Direct Debit, by {seller} or your bank or building society, you are entitled to a full and immediate refund of the amount paid from your bank or building society. If you receive a refund you are not entitled to, you must pay it back when {seller} asks you to.\nYou can cancel a Direct Debit at any time by simply contacting your bank or building society. Written confirmation may be required. Please also notify {seller}.',
}

const texts: Readonly<Record<string, typeof en>> = {
  en,
  de: {
    instruction:
      'Mit dem Fortfahren weisen Sie Ihre Bank an, Lastschriften (Direct Debits) von {seller} zulasten des oben genannten Kontos einzulösen, unter den Sicherheiten der Direct Debit Guarantee. Sie bestätigen, dass Sie der Kontoinhaber sind und allein über Lastschriften von diesem Konto verfügen dürfen.',
    title: 'Die Direct Debit Guarantee',
    guarantee:
      'Diese Garantie geben alle Banken und Bausparkassen (building societies), die Aufträge für Direct Debits annehmen.\nÄndern sich Betrag, Datum oder Häufigkeit Ihres Direct Debit, benachrichtigt {seller} Sie 10 Werktage vor der Belastung Ihres Kontos oder wie anderweitig vereinbart. Wenn Sie {seller} bitten, eine Zahlung einzuziehen, werden Ihnen Betrag und Datum dabei bestätigt.\nUnterläuft {seller} oder Ihrer Bank beim Direct Debit ein Fehler, haben Sie gegenüber Ihrer Bank Anspruch auf sofortige und vollständige Erstattung des gezahlten Betrags. Erhalten Sie eine Erstattung, auf die Sie keinen Anspruch haben, müssen Sie sie zurückzahlen, wenn {seller} Sie dazu auffordert.\nSie können einen Direct Debit jederzeit kündigen, indem Sie sich an Ihre Bank wenden. Eine schriftliche Bestätigung kann erforderlich sein. Bitte benachrichtigen Sie auch {seller}.',
  },
  es: {
    instruction:
      'Al continuar, usted ordena a su banco que pague los adeudos directos (Direct Debits) de {seller} desde la cuenta indicada arriba, con las salvaguardas de la Direct Debit Guarantee. Confirma que es el titular de la cuenta y la única persona necesaria para autorizar adeudos en ella.',
    title: 'La Direct Debit Guarantee',
    guarantee:
      'Esta garantía la ofrecen todos los bancos y sociedades de crédito (building societies) que aceptan órdenes de pago de Direct Debits.\nSi cambian el importe, la fecha o la frecuencia de su Direct Debit, {seller} se lo notificará 10 días hábiles antes de que se adeude su cuenta o según se haya acordado. Si usted solicita a {seller} que cobre un pago, se le confirmarán el importe y la fecha en el momento de la solicitud.\nSi {seller} o su banco comete un error en el pago de su Direct Debit, tiene derecho a que su banco le reembolse de inmediato la totalidad del importe pagado. Si recibe un reembolso al que no tiene derecho, deberá devolverlo cuando {seller} se lo pida.\nPuede cancelar un Direct Debit en cualquier momento poniéndose en contacto con su banco. Es posible que se requiera una confirmación por escrito. Notifíquelo también a {seller}.',
  },
  fr: {
    instruction:
      'En continuant, vous demandez à votre banque de payer les prélèvements (Direct Debits) de {seller} sur le compte ci-dessus, avec les protections de la Direct Debit Guarantee. Vous confirmez être le titulaire du compte et la seule personne requise pour autoriser des prélèvements sur ce compte.',
    title: 'La Direct Debit Guarantee',
    guarantee:
      'Cette garantie est offerte par toutes les banques et sociétés de crédit immobilier (building societies) qui acceptent les ordres de Direct Debit.\nEn cas de changement du montant, de la date ou de la fréquence de votre Direct Debit, {seller} vous en informe 10 jours ouvrables avant le débit de votre compte ou selon ce qui a été convenu. Si vous demandez à {seller} d’encaisser un paiement, le montant et la date vous sont confirmés au moment de la demande.\nSi {seller} ou votre banque commet une erreur dans le paiement de votre Direct Debit, vous avez droit au remboursement intégral et immédiat du montant payé par votre banque. Si vous recevez un remboursement auquel vous n’avez pas droit, vous devez le restituer lorsque {seller} vous le demande.\nVous pouvez annuler un Direct Debit à tout moment en contactant votre banque. Une confirmation écrite peut être exigée. Veuillez également en informer {seller}.',
  },
  ja: {
    instruction:
      '続行することにより、Direct Debit Guaranteeの保護のもと、{seller}へのDirect Debitを上記の口座から支払うよう銀行に指示します。お客様は、口座名義人であり、この口座からのDirect Debitを単独で承認できることを確認します。',
    title: 'Direct Debit Guarantee（口座振替保証）',
    guarantee:
      'この保証は、Direct Debitの支払指示を受け付けるすべての銀行および住宅金融組合が提供します。\nDirect Debitの金額、日付または頻度に変更がある場合、{seller}は引き落としの10営業日前まで、または別途合意した時期に通知します。お客様が{seller}に支払いの引き落としを依頼した場合、金額と日付はその時点で確認されます。\n{seller}または銀行がDirect Debitの支払いに誤りを生じさせた場合、お客様は銀行から直ちに全額の返金を受ける権利があります。受け取る権利のない返金を受けた場合は、{seller}の求めに応じて返還する必要があります。\nDirect Debitは、銀行に連絡することでいつでも解約できます。書面による確認が必要な場合があります。{seller}にもご連絡ください。',
  },
  ar: {
    instruction:
      'بالمتابعة، تأمر بنكك بدفع عمليات الخصم المباشر (Direct Debits) لصالح {seller} من الحساب أعلاه، مع ضمانات Direct Debit Guarantee. وتؤكد أنك صاحب الحساب والشخص الوحيد المطلوب لتفويض الخصم المباشر من هذا الحساب.',
    title: 'ضمان الخصم المباشر (Direct Debit Guarantee)',
    guarantee:
      'تقدّم هذا الضمان جميع البنوك وجمعيات البناء التي تقبل أوامر دفع الخصم المباشر.\nإذا تغيّر مبلغ الخصم المباشر أو تاريخه أو تكراره، يُشعرك {seller} قبل الخصم من حسابك بعشرة أيام عمل أو كما يُتفق عليه. وإذا طلبت من {seller} تحصيل دفعة، يُؤكَّد لك المبلغ والتاريخ وقت الطلب.\nإذا وقع خطأ في دفع الخصم المباشر من {seller} أو من بنكك، يحق لك استرداد كامل المبلغ المدفوع فورًا من بنكك. وإذا تلقيت استردادًا لا يحق لك، فعليك إعادته عندما يطلب منك {seller} ذلك.\nيمكنك إلغاء الخصم المباشر في أي وقت بالتواصل مع بنكك. وقد يُطلب تأكيد كتابي. ويُرجى إشعار {seller} أيضًا.',
  },
}

/** The paragraphs that the payer accepts. */
export function bacsTexts(seller: string): string[] {
  const { instruction, title, guarantee } = texts[languageShown()] ?? en
  return [instruction, title, ...guarantee.split('\n')].map((paragraph) => fillIn(paragraph, { seller }))
}
