/** The phrases of a list. `[a|b]` means either: “remove [me|us]” is two phrases. */
function phrasesIn(list: string): string[] {
  return list
    .split(',')
    .flatMap((phrase) => variantsOf(phrase))
    .map((phrase) => phrase.trim())
}

function variantsOf(phrase: string): string[] {
  const [choice, options] = /\[([^\]]*)\]/.exec(phrase) ?? []
  if (choice === undefined || options === undefined) return [phrase]
  return options.split('|').flatMap((option) => variantsOf(phrase.replace(choice, () => option)))
}

/** Replies that ask for removal, or say that the number is another person's or that the person died. */
export const removalRequests = phrasesIn(`
   [remove|delete|erase] us, erase me, [take|get] [us|me] off, [remove|delete|erase|destroy] my [data|details|number|info|information|name],
   no longer [want|wish] to [receive|get|hear], not the [right |]person, not [that|this] person, [isnt|is not|no longer] [his|her|their] [number|phone],
   by that name, passed away, deceased,
   [borr|elimin][a|e|en|ad|ar][me|nos], me [borre|borren|elimine|eliminen], cancel[e|en|a|ar] [mi|la|mis|nuestra] [suscripción|número|datos],
   d[a|e|en|ar][me|nos] de baja, [dar|doy|causar|tramitar] [|de ]baja, [quiero|solicito|pido|deseo] [|la |mi ]baja, baja [inmediata|definitiva], no insist[a|an|as|ir],
   [dejar|deje|deja] de [recibir|enviar|enviarme|mandar|mandarme|molestar|insistir], no nos [mande|manden|envíe|envíen|escriba|escriban],
   [persona|teléfono|celular|contacto|destinatario] equivocad[o|a], se [|ha |han ]equivoc[o|a|ado|aron|an] de [persona|número|teléfono|contacto|paciente],
   no soy [|esa |la |el |ese ][persona|paciente|titular], no soy [quien|la que|el que] busca[|n|s], no es [mi|su|el] [número|teléfono|celular], falleció, fallecid[o|a],
   [lösch|lösche|löscht|löschen sie|streich|streiche|streicht|streichen sie|entferne|entfernt|entfernen sie] [mich|uns],
   [trag|tragt|tragen sie] [mich|uns] [|bitte ]aus, nichts mehr hören, [will|möchte|wollen|möchten] nichts mehr [bekommen|erhalten],
   falsch verbunden, falsche person, falscher [empfänger|kontakt|ansprechpartner], nicht [die richtige|diese] person, nicht [meine|seine|ihre] nummer,
   haben sich [verwählt|geirrt], verstorben,
   [supprime|supprimez|efface|effacez|raye|rayez|désinscris|désabonnez] [moi|nous], ne veux plus [recevoir|vos|de vos], mauvaise personne,
   [erreur|trompez|trompé|trompée] de [numéro|personne|destinataire], pas la bonne personne, pas le bon [numéro|destinataire],
   [pas|plus] [son|mon] numéro, décédé, décédée,
   me [apague|apaguem|exclua|excluam|delete|deletem|descadastre|descadastrem], [remova|removam|exclua|excluam|apague|apaguem] [me|nos],
   nos [remova|removam|exclua|excluam|tire|tirem], [parar|deixar] de receber, não insist[a|am], [pessoa|contato|contacto|telefone] errad[o|a],
   não sou [|essa |esta |a ]pessoa, não é [|mais ][meu|dele|dela|o] [número|telefone], faleceu, falecid[o|a],
   [cancellate|elimina|eliminate|rimuovi|rimuovete][mi|ci], cancellaci, persona sbagliata, sbagliato [numero|persona], non sono [quella|questa|la] persona,
   non è [|più ][il mio|il suo] numero, smettere di [ricevere|mandare|inviare], non insist[a|ete|ere], decedut[o|a],
   [verwijder|schrap] [mij|me|ons], [wil|willen] geen [sms|berichten], verkeerde persoon, verkeerd verbonden, niet [|meer ][mijn|zijn|haar] nummer, overleden,
   ta bort [mig|oss|mitt|mina], radera [mig|oss|mitt|mina], fel [nummer|person], avliden, har avlidit,
   [slet|fjern] [mig|meg|os|oss|mit|mitt|mine], [forkert|forkerte|feil] [nummer|person], afgået ved døden,
   poista [minut|meidät|numeroni|tietoni], väärä [numero|henkilö], en ole [|se |tämä ]henkilö, en halua [viestejä|näitä viestejä], menehtynyt,
   [usuń|usuńcie|usunąć|wykreśl|wykreślcie] [mnie|nas|mój|moje], [zły|błędny] numer, [zła|niewłaściwa] osoba, nie jestem tą osobą,
   nie chcę [dostawać|otrzymywać], nie żyje, zmarł, zmarła,
   [smažte|vymažte|odstraňte|vyřaďte] [mě|mne|nás|moje|mé], špatné číslo, nejsem ta osoba, nechci dostávat, zemřel, zemřela,
   [zmažte|odstráňte|vyraďte] [ma|nás|moje], [zlé|nesprávne] číslo, nie som tá osoba, zomrel, zomrela,
   [rossz|téves] szám, téves [hívás|kapcsolás], elhunyt,
   [ștergeți|șterge|eliminați] [mă|ne], număr greșit, persoană greșită, greșit [numărul|persoana], nu sunt [această|acea] persoană, decedat, decedată,
   [obrišite|obriši|izbrišite|izbriši|uklonite|maknite] [me|nas|moj|moje], [pogrešan|krivi] broj, [pogrešna|kriva] osoba, nisam ta osoba, preminuo, preminula,
   [удалите|удали|сотрите|исключите|вычеркните] [меня|нас|мой|мои], не тот [номер|человек], ошиблись [номером|человеком], не туда попали,
   не хочу получать, скончался, скончалась,
   [видаліть|викресліть] [мене|нас|мій|мої], помилились номером, не той номер, не хочу отримувати, помер, померла,
   [изтрийте|премахнете] [ме|ни|ми], грешен номер, почина, починал, починала,
   [διαγράψτε|διέγραψε|σβήστε] [με|μας|τον αριθμό], λάθος [αριθμός|άτομο|νούμερο], απεβίωσε, πέθανε,
   beni [sil|silin|çıkar|çıkarın], numaramı [sil|silin], yanlış [numara|kişi], vefat etti,
   [احذفوني|احذفني|امسحوني], [احذف|احذفوا|امسح|امسحوا] [رقمي|بياناتي], [الرقم|رقم] [خطأ|غلط|خاطئ], لست [أنا|الشخص], توفي, توفيت,
   [מחקו|תמחקו|תמחק|תסירו|להסיר|למחוק] [אותי|אותנו], טעות במספר, מספר [שגוי|לא נכון], נפטר, נפטרה,
   गलत नंबर, [मेरा|मेरे] नंबर [हटा|हटाओ|हटाइए], [निधन|मृत्यु] हो गई, [निधन|देहांत] हो गया,
   hapus [saya|kami|nomor|data], padam [nombor|data], salah [nomor|nombor|orang|sambung], [sudah|telah] meninggal,
   xóa [tôi|số], [nhầm|sai] số, nhầm người, qua đời, futa [namba|nambari] yangu, amefariki, maling [numero|tao],
   [打|发|發|找|认|認]错[|人|号], 打錯, 發錯, 找錯, 認錯人, 我不是本人, 删除我, 刪除我, 把我删, 把我刪, [去|过|過]世,
   人違い, 番号違い, 間違い電話, 番号が違い, 私ではありません, 亡くなり, 削除して, 잘못 보내, 잘못 거셨, 번호가 틀, 다른 사람입니다, 삭제해, 사망, 돌아가셨,
   ผิดคน, ผิดเบอร์, เบอร์ผิด, ไม่ใช่ฉัน, เสียชีวิต, ลบเบอร์, ลบข้อมูล`)

/** They count alone or beside a word about messages only: “take it off” may be about a plaster cast. */
export const aloneRequests = phrasesIn(`
   exit, forget [me|us], [|its |thats |this is |it is |that is ]not me, [this|that|it] [isnt|aint] me, [dont|do not] want [it|this|that|them] any[|  ]more, no longer want [it|this|these|them],
   borr[a|e|en], elimin[a|e|en|ar], quit[a|en|ar], saquen, retiren, remuevan, remueva,
   [quit|retir|baj|remuev|excluy][a|e|en|ar|an][me|nos], sáca[|r][me|nos], saque[|n][me|nos], salir, salirme, no [me|nos] [llame|llamen|contacte|contacten] [|más], no soy [yo|ese|esa],
   equivocad[o|a], está[|n|s] equivocad[o|a|os|as], se [|ha |han ]equivoc[o|a|ado|aron|an], te equivoc[as|aste], no lo quiero más,
   [meld|melde|meldet|melden sie] [mich|uns] [|bitte ]ab, lösche, löscht, lösch, [nehmt|nimm|nehmen sie] [mich|uns], [|das ]bin [nicht ich|ich nicht], sie haben sich vertan, [will|möchte|wollen|möchten] [das|es|die|sie|dies] nicht mehr,
   supprime, supprimez, effacez, retirez, enlevez, [retirez|retire|enlevez|enlève|ôtez] [moi|nous], me [retirer|enlever|supprimer|rayer], [cest|ce nest|nest] pas moi,
   vous vous [trompez|êtes trompé|êtes trompés], nen veux plus, veux plus [|de ]ça,
   apague, apaguem, exclua, excluam, excluir, remova, removam, retirem, [tire|tira|tirem|retire|retirem] [me|nos], me [retire|retirem], não sou eu, [é|foi] engano, se enganou,
   cancellate, rimuovete, rimuovi, rimuovere, eliminare, togliete, togli[|ete][mi|ci], non sono io, avete sbagliato, ha sbagliato, non [lo|li|le|la] voglio più,
   verwijder, wis, haal [mij|me|ons], [dat|dit] ben ik niet, ik ben het niet, wil [dit|dat|het|ze|deze] niet [meer|langer],
   det är inte [jag|mig], inte jag, vill inte ha [det|detta|dessa] [|mer|längre], det er ikke [mig|meg|jeg], vil ikke ha[|ve] [det|dette|disse] [|mere|mer|lenger],
   en halua enää, se en ole minä, usuń, usuńcie, usunięcie, to nie ja, pomyłka, nie chcę [|już |więcej ]tego, to nejsem já, už to nechci, už nechci, omyl, to nie som ja, už nechcem,
   töröljön, töröljenek, töröljék, töröljetek, nem én vagyok, ștergeți, nu sunt eu, scoate[|ți] [mă|ne], [|to ]nisam ja, ne želim više, уберите [меня|нас], вы ошиблись, [|это ]не я, больше не хочу,
   [|це ]не я, більше не хочу, не съм аз, δεν είμαι εγώ, βγάλτε με, [|o ]ben değilim, זה לא אני, यह मैं नहीं [हूँ|हूं],
   bukan saya, [tidak|gak|nggak] mau lagi, không phải tôi, si mimi, hindi ako [ito|iyan|yan|yun], burahin`)

/** Words for dead that are said of things, too. */
export const deaths = phrasesIn(`
   died, dead, murió, muerto, muerta, gestorben, ist tot, mort, morte, morta, morto, morreu, décès, död, dött, død, dood, kuollut, meghalt, murit, umro, umrla,
   умер, умерла, умерли, öldü, meninggal`)

/** Who may have died. */
export const people = phrasesIn(`
   he, she, mother, father, mom, mum, dad, husband, wife, son, daughter, brother, sister, grandmother, grandfather, patient, person, owner,
   ella, él, mamá, papá, madre, padre, esposo, esposa, marido, mujer, hijo, hija, hermano, hermana, abuelo, abuela, señor, señora, paciente, persona,
   er, sie, mutter, vater, mama, papa, mann, frau, oma, opa, sohn, tochter, bruder, schwester, patientin,
   il, elle, mère, père, mari, femme, fils, fille, frère, soeur, maman, monsieur, madame, ele, ela, mãe, pai, filho, filha, irmão, irmã, avó, avô, senhor, senhora,
   lui, lei, mamma, moglie, figlio, figlia, fratello, sorella, nonno, nonna, signor, signora, hij, zij, ze, moeder, vader, vrouw, man, zoon, dochter, broer, zus,
   han, hon, hun, mor, far, mamman, pappa, mann, kone, fru, hustru, son, dotter, hän, äiti, isä, puoliso,
   édesanyám, édesapám, férjem, feleségem, mama, tata, otac, majka, muž, žena, он, она, мама, папа, мать, отец, муж, жена, сын, дочь, бабушка, дедушка,
   annem, babam, eşim, kocam, karım, dia, beliau, ibu, bapak, ayah, suami, istri`)
