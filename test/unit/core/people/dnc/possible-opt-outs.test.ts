import { describe, expect, it } from 'vitest'
import { createOptOutTest, defaultOptOutKeywords } from '#electron/core/people/dnc/opt-out-keywords.ts'
import { createPossibleOptOutTest } from '#electron/core/people/dnc/possible-opt-outs.ts'
import { texts } from '../../../../helpers/texts.ts'

const isKeyword = createOptOutTest(defaultOptOutKeywords)
const isPossible = createPossibleOptOutTest(defaultOptOutKeywords)
const verdict = (text: string) => (isKeyword(text) ? 'holds' : isPossible(text) ? 'asks' : 'neither')

describe('a text', () => {
  it.each([
    ...texts(`
      StopAll | “Stop” | ＳＴＯＰ | Arret | opt-out | Stop!!! 🛑 | STOP. | ["STOP"] | <STOP> | S.T.O.P
      s t o p | S-T-O-P! | STOP STOP | stop, stop, stop! | UNSUB | Remove me remove me | STOPSTOP`),
    'STOP\u200b',
    'S\u200bT\u2060O\ufeffP',
    'STOP\u3164',
    'S\nT\nO\nP',
  ])('holds: %j', (text) => {
    expect(verdict(text)).toBe('holds')
  })

  it.each([
    ...texts(`
      Stop. Thank you | STOP please | Please stop | stop texting me | STOP 72975 | unsubscribe me
      stop all messages | remove me from this list | S.T.O.P please`),
    'STOP\n\nSent from my iPhone',
    // Further inputs of the kind.
    ...texts(`
      I don’t want to receive messages | I do not want these messages | Abmeldung | désinscription
      ne plus m’envoyer de sms | ya no quiero mensajes | non voglio ricevere messaggi
      no molestar | lose this number | can you stop | stop the messages | pls stop
      Stop!! Who is this? | STOP - wrong number | Stop it | stop now | I said stop | ok stop
      Stop sending me messages | can you please stop texting me
      You need to stop texting this number | Why don’t you stop texting me | No stop | No, stop
      Wrong number. Stop | How do I stop? | Please take me off your list | opt me out please
      No more texts | Cancel my subscription | Cancel please | quit texting me | end texts
      leave me alone | Don’t text me again | do not contact me
      I never signed up for this, please unsubscribe | I want to unsubscribe | remove my number
      STOPPPP | stpo | sotp | unsuscribe | Unsubcribe me | Stop.Thanks | STOP 🛑 please 🙏
      Please “STOP” | Reply STOP to unsubscribe | STOP1 | Stop Stop please | Bitte stoppen
      Bitte abmelden, danke | Keine SMS mehr bitte | Stopp bitte | Hören Sie auf damit
      Por favor parar | baja por favor | Quiero darme de baja | Ya no me escriban
      no más mensajes | Arrêtez svp | stop svp | Merci de me désabonner | Basta grazie
      Stop per favore | Sair por favor | СТОП пожалуйста | Отпишите меня | lütfen iptal
      من فضلك توقف | 请退订 | 不要再发了 | 配信停止してください | No quiero recibir más mensajes
      No me manden más mensajes | Bitte nicht mehr schreiben | Ne m’envoyez plus de SMS
      Non voglio più ricevere messaggi | Delete me | Bitte löschen | Wer ist da? Bitte löschen
      meine Nummer löschen | please delete | por favor borrar`),
    'STOP\r\n\r\n--\r\nAda',
    'R',
    't',
    '00530054004F0050',
    '53746f70',
    'stop\n> Your order has shipped',
    // Refusals that are nothing else.
    ...texts(`
      No thanks | No, thank you! | no thx | Thanks, but no thanks | Nein danke | Nein, vielen Dank
      No gracias | No, muchas gracias | Non merci | No grazie | Não, obrigado | Nee dank je
      Nej tack | Nei takk | Ei kiitos | Nie, dziękuję | Ne děkuji | Nu mulțumesc | Нет, спасибо
      Ні, дякую | Όχι ευχαριστώ | Hayır teşekkürler | لا شكرا | לא תודה | नहीं धन्यवाद
      Tidak, terima kasih | Not interested | Sorry, I’m not interested | Kein Interesse
      No me interesa | Pas intéressé | Non mi interessa | Não tenho interesse | Geen interesse
      Nie jestem zainteresowany | Не интересно | İlgilenmiyorum | 没兴趣 | いりません | 관심 없습니다 | ไม่สนใจ
      Nemám zájem | Nem érdekel`),
    // Stop, in further languages.
    ...texts(`
      Alto | ALTO por favor | Dur | Zastav | Koniec | Peatu | Tigil | Itigil na | Hinto
      ਬੰਦ | ਬੰਦ ਕਰੋ | நிறுத்து | நிறுத்தவும் | বন্ধ | বন্ধ করুন | ఆపు | ఆపండి | ನಿಲ್ಲಿಸಿ | നിർത്തുക | બંધ કરો | थांबवा
      해지 | 중단 | 拒收 | 拒否 | מספיק`),
    // Stop, as messages of further countries ask for it, in capitals and without accents.
    ...texts(`
      RET ACMESHOP | LÜTFEN DURDURUN | Listeden çıkarın beni | ÇIKIŞ | Rezygnacja | proszę mnie wypisać
      Nie wysylajcie mi wiecej SMS | Nu mai vreau mesaje | opriți mesajele | dezabonati-ma | إلغاء الاشتراك
      قف | لا ترسلوا لي رسائل | Μην μου στέλνετε μηνύματα | me tira dessa lista | cancelar inscrição
      meld mij af | geen sms meer aub | sluta skicka sms | TC | TC QC | dừng | DUNG nhan tin cho toi nua
      UNREG 9876 | jangan kirim sms lagi | tolong hentikan | SITISHA | msinitumie ujumbe | ARRETT | הסירו אותי`),
    // Slips of a short word, and another person.
    ...texts(`SROP | Stoop | sto | Wrong number | Wrong number, who is this? | Número equivocado`),
    // Removal.
    ...texts(`
      Remove us | Delete my data | Borren mi número | Eliminen mis datos | Elimíneme | sáquenme de la lista
      bájenme de la lista | quiten mi numero de su base | SALIR | Dejar de recibir | no insistan
      Quiero que me den de baja | Me dé de baja | Procesen mi baja | Mi baja por favor | Baja del sistema
      Baja por favor | Quiero la baja | Melden Sie mich bitte ab | Löschen Sie meine Daten | Nehmen Sie mich bitte aus dem Verteiler
      Retirez-moi de la liste svp | Me exclua da lista | Apaguem meus dados | Toglietemi dalla lista
      Verwijder mijn nummer | Ta bort mitt nummer | Slet mit nummer | Usuńcie mój numer | Smažte moje číslo
      Удалите мой номер | احذفوا رقمي | 把我删了吧`),
    // Another person.
    ...texts(`
      Wrong person | Not me | That’s not me | equivocado | Está equivocado | Usted está equivocado
      Se equivocó de persona | no soy yo | No soy esa persona | falsch verbunden | Das bin ich nicht
      C’est pas moi | Ce n’est pas mon numéro | Não sou eu | Pessoa errada | Non sono io | Dat ben ik niet
      Fel person | Feil nummer | Väärä numero | To pomyłka | Téves szám | Număr greșit | Pogrešan broj
      Вы ошиблись номером | Це не я | ΛΑΘΟΣ ΑΡΙΘΜΟΣ | Yanlış numara | رقم خاطئ | טעות במספר | गलत नंबर
      Salah nomor | Nhầm số rồi | 打错了 | 我不是本人 | 人違いです | 번호가 틀렸어요 | ผิดคนค่ะ`),
    // Death.
    ...texts(`
      She died last year | My mother passed away | ella ya falleció | Murió mi mamá en mayo
      Meine Frau ist gestorben | Il est décédé | Ela faleceu | È morto mio padre | Hij is overleden
      Zmarła | Она умерла | Babam vefat etti`),
    // No longer wanted.
    ...texts(`
      I don’t want this any more | I don’t want this anymore | Ich will das nicht mehr
      Je n’en veux plus | Ik wil dit niet meer | Jag vill inte ha det | Больше не хочу`),
    // No more advertising.
    ...texts(`
      Keine Werbung mehr! | Ich will keine Werbung mehr von euch
      Ich möchte keine Werbung mehr von Ihnen | Keine weiteren Nachrichten bitte | No more ads
      No quiero más publicidad | Plus de pub svp | Basta pubblicità | Chega de propaganda
      Geen reclame meer | Ingen reklam tack | Не присылайте рекламу | Reklam göndermeyin`),
    // Anger.
    ...texts(`
      Fuck off | F*ck off! | fuck you | Piss off with your texts | Go away | Get lost
      Verpiss dich | Lass mich in Ruhe | Déjenme en paz | Vete a la mierda | Foutez-moi la paix
      Vaffanculo | Me deixa em paz | Laat me met rust | Rot op | Spierdalaj | Dajcie mi spokój
      Отвали | Отстаньте`),
    // Digits for letters, and signs.
    ...texts(`
      st0p | ST0P texting me | 5top | $TOP | un5ubscribe | Unsubscr1be me | c4ncel | @bmelden | 🛑
      👎 | ⛔ | ⛔️⛔️ | 🚫 | 🖕🏽 | 🙅‍♀️ | ❌ | ✋ | 📵 | 🔕 | 👎 danke | 🛑!!`),
    // Markup, and JSON of a field that isn't a text.
    ...texts(`
      <p>STOP</p> | <html><body><div>Stop</div></body></html> | <b>S</b>TOP | STOP<br/>--<br/>Ada
      &#83;TOP | &#x53;&#x54;&#79;&#80; | &lt;p&gt;STOP&lt;/p&gt; | <p>arr&ecirc;t&nbsp;</p>
      {"text":"STOP"} | {"message":{"body":"stop"}} | [{"type":"text","text":"STOP"}]
      ["STOP","please"]`),
    // Letters of other alphabets that look the same, small capitals, letters in boxes.
    ...texts(`
      Stоp | ЅТОР | SΤΟΡ | STΟP please | ЅТОР please | plеase stоp texting me | Uпsubscribe | CТОП
      ꜱᴛᴏᴘ | ST🅾P | 🆂🆃🅾🅿 | 🇸🇹🇴🇵 | STØP | s7op`),
    // Words with gaps.
    ...texts(`st op | S TOP | sto p please | st-op | S T O P please | s t o p texting me | unsub scribe`),
    ...texts(`
      SSTOP | Stopt | STOP_PROMOTIONS | لا أريد رسائل | annulla iscrizione | मत भेजो | hủy đăng ký | Bjaa | Abmleden`),
    'st\nop',
    'STOP\nOn Mon, Jan 5, 2026 Acme wrote:\n> Sale!',
    'Leave the list\nSTOP',
  ])('asks: %j', (text) => {
    expect(verdict(text)).toBe('asks')
  })

  it.each([
    ...texts(`
      Don’t stop | Don't stop | dont stop | Do not stop | Never stop! | please don’t ever stop
      non-stop | I can’t stop laughing | I don’t want to stop | Bitte nicht stoppen
      ne pas arrêter | Не стоп | Liked “Reply STOP to opt out” | Loved “Text STOP to end”
      Laughed at "Reply STOP to opt out" | Gefällt mir: „Antworte STOP“
      Le gustó “Responda BAJA para salir” | A aimé « Répondez STOP svp »
      👍 to “Reply STOP to unsubscribe.” | Liked “Reply STOP to opt out | Disliked “Please stop”
      Which bus stop? | I’ll stop by tomorrow | Stop by any time | See you at the end of the week
      The weekend | Cancel my appointment | I will cancel | Please cancel my order
      Quit my job today | Yes | !!! | endless | Thanks! | My number is 12345 | Send me the list
      I got your message | 不要停止 | Ja, bitte | Can you call me? | No thanks, I’m fine on Monday
      Nein danke, Montag passt besser | No | Nein | Danke! | Gracias | No, Tuesday. Thank you | 👍
      🙏 | 😂😂 | 👎 to “Sale today” | 👎 for the new menu | Room 5t0 | I’m at 10am | B4 noon
      I saw your ad, how much is it? | Die Werbung war gut | I am interested | Go ahead | Lost it
      Don&#39;t stop | <p>Don’t stop</p> | <p>non-stop</p> | Dоn’t stоp | Не стоп | Stoppelbart
      Stop by at 5 | non stop | top s | <p>Thanks</p> | {"text":"Thanks"} | 🇸🇹
      Это стоит сто рублей | Προσοχή στο σπίτι | a b c | The end | what time do you stop?
      Hola, soy María Soto | Du har ret | ok bye tc | Dung will meet you at 5 | Çıkış nerede? | You wrote the wrong number on my parcel
      El precio es muy alto | Koniec pracy o piątej | Acha, thanks | 退款
      Onoda | Mr. Onoda speaking | Sari | Thanks alot | Ich möchte mich anmelden | Stopt de trein hier?
      la presión está baja | baja la presión? | Mandé la baja médica por mensaje | No estoy equivocado
      El horario está equivocado | No soy alérgica | Quítenme el yeso el lunes | ¿Puedo salir a las 5?
      Necesito sacar número | no soy yo quien va | Dejé de tomar la pastilla | No ha fallecido
      Quiero la baja médica | Tengo la tensión baja | Al salir le envío un mensaje | Ik ben er tot 5 uur
      Ich melde mich ab Montag wieder | Ich habe nichts mehr erhalten | He is dead tired
      My phone died, sorry | Sorry, my phone was dead | The pain has decreased | Ich will das nicht mehr nehmen | Hij wil overleggen
      Is that for me or not | Bring the dead battery | Remove my stitches today?
      La casa es de planta baja | Trabajo en Baja California | Estoy de baja | Mon arrêt de bus`),
    '',
  ])('does neither: %j', (text) => {
    expect(verdict(text)).toBe('neither')
  })

  it('is read by the operator’s keywords', () => {
    expect(createPossibleOptOutTest(['genug'])('Genug bitte')).toBe(true)
    expect(createPossibleOptOutTest([])('genug bitte')).toBe(false)
  })

  it('of any length is read quickly', () => {
    for (const text of ['<', '&#', 's.', 's ', 'о', '"', '\n', '<p '])
      expect(isPossible(`${text.repeat(100_000)} "`)).toBe(false)
  })

  it('that is long is read at its start and its end', () => {
    const more = 'My order came broken. '.repeat(200)
    const blanks = '\n\u200b \u3164'.repeat(2_000)
    expect(verdict(`${blanks}Please st\u200bop${blanks}`)).toBe('asks')
    for (const text of [`STOP\n${more}`, `${more}\nSTOP`, 'STOP'.padEnd(4_000, '.'), 'stop '.repeat(1_000)])
      expect(verdict(text)).toBe('asks')
    expect(verdict(`STOP${'\u2800'.repeat(900)}`)).toBe('holds')
    for (const text of [more, `${'x'.repeat(1_600)}stop`]) expect(verdict(text)).toBe('neither')
  })
})
