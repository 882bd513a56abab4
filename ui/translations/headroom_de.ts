<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de" sourcelanguage="en">
<context>
    <name>About</name>
    <message>
        <source>About Headroom</source>
        <translation>Über Headroom</translation>
    </message>
    <message>
        <source>&lt;h3&gt;Headroom %1&lt;/h3&gt;&lt;p&gt;See where every byte of a local model goes before it is loaded, then load it and chat.&lt;/p&gt;&lt;p&gt;What is planned is what is allocated: there is one piece of arithmetic for both. Nothing is allocated after a load, and nothing leaves this machine unless you ask for it.&lt;/p&gt;&lt;p&gt;Free software under the GNU General Public License, version 3 or later.&lt;/p&gt;</source>
        <translation>&lt;h3&gt;Headroom %1&lt;/h3&gt;&lt;p&gt;Zeigt vor dem Laden, wohin jedes Byte eines lokalen Modells geht. Danach wird geladen und gechattet.&lt;/p&gt;&lt;p&gt;Was geplant wird, wird auch belegt: Für beides gibt es nur eine Rechnung. Nach dem Laden wird nichts mehr angefordert, und nichts verlässt diesen Rechner, solange Sie es nicht verlangen.&lt;/p&gt;&lt;p&gt;Freie Software unter der GNU General Public License, Version 3 oder neuer.&lt;/p&gt;</translation>
    </message>
    <message>
        <source>What the starter model is</source>
        <translation>Über das Startmodell</translation>
    </message>
    <message>
        <source>&lt;h3&gt;A guide, not a general assistant&lt;/h3&gt;&lt;p&gt;The starter model is a few million parameters, trained for Headroom on questions and answers about memory, the KV cache, quantization, context length, offload and this app.&lt;/p&gt;&lt;p&gt;It is here so that the first start needs no download. It does not know anything else, and says so. For everything else, drop a model of your own on the window.&lt;/p&gt;</source>
        <translation>&lt;h3&gt;Ein Ratgeber, kein allgemeiner Assistent&lt;/h3&gt;&lt;p&gt;Das Startmodell hat einige Millionen Parameter und wurde für Headroom mit Fragen und Antworten zu Speicher, KV-Cache, Quantisierung, Kontextlänge, Auslagerung und dieser App trainiert.&lt;/p&gt;&lt;p&gt;Es ist dabei, damit der erste Start ohne Download auskommt. Anderes weiß es nicht und sagt das auch. Für alles andere ziehen Sie ein eigenes Modell auf das Fenster.&lt;/p&gt;</translation>
    </message>
</context>
<context>
    <name>Attachment</name>
    <message>
        <source>%1 %2; at most %3 of text can be attached. Attach a part of it.</source>
        <translation>%1 %2; höchstens %3 Text können angehängt werden. Hängen Sie einen Teil davon an.</translation>
    </message>
    <message>
        <source>%1 %2; the context of %3 tokens takes %4 of text at the very most. Attach a part of it, or plan a larger context.</source>
        <translation>%1 %2; der Kontext von %3 Tokens fasst allerhöchstens %4 Text. Hängen Sie einen Teil davon an, oder planen Sie einen größeren Kontext.</translation>
    </message>
    <message>
        <source>%1 is a PDF with a password, so it cannot be read. Save a copy without one and attach that.</source>
        <translation>%1 ist ein PDF mit Passwort und daher nicht lesbar. Speichern Sie eine Kopie ohne Passwort, und hängen Sie diese an.</translation>
    </message>
    <message>
        <source>%1 is a damaged PDF: no page could be found in it.</source>
        <translation>%1 ist ein beschädigtes PDF: Es wurde keine Seite darin gefunden.</translation>
    </message>
    <message>
        <source>%1 has %2 pages; at most %3 are read. Attach a part of it.</source>
        <translation>%1 hat %2 Seiten; höchstens %3 werden gelesen. Hängen Sie einen Teil davon an.</translation>
    </message>
    <message>
        <source>has more than %1 of text on the first %2 of its %3 pages</source>
        <translation>hat mehr als %1 Text auf den ersten %2 von %3 Seiten</translation>
    </message>
    <message>
        <source>%1 is a damaged PDF: the reader crashed while it opened it.</source>
        <translation>%1 ist ein beschädigtes PDF: Der Leser stürzte beim Öffnen ab.</translation>
    </message>
    <message>
        <source>%1 is a damaged PDF: the reader crashed on page %2.</source>
        <translation>%1 ist ein beschädigtes PDF: Der Leser stürzte auf Seite %2 ab.</translation>
    </message>
    <message>
        <source>%1 was given up: it took longer than %2 to open.</source>
        <translation>%1 wurde aufgegeben: Das Öffnen dauerte länger als %2.</translation>
    </message>
    <message>
        <source>%1 was given up: page %2 took longer than %3 to read.</source>
        <translation>%1 wurde aufgegeben: Das Lesen von Seite %2 dauerte länger als %3.</translation>
    </message>
    <message>
        <source>%1 cannot be read: %2.</source>
        <translation>%1 kann nicht gelesen werden: %2.</translation>
    </message>
    <message>
        <source>%1 was not read to its end.</source>
        <translation>%1 wurde nicht zu Ende gelesen.</translation>
    </message>
    <message numerus="yes">
        <source>%1 has no text on its %2 pages, as scanned pages have none; Headroom reads no pictures.</source>
        <translation>
            <numerusform>%1 hat auf %2 Seite keinen Text, wie bei gescannten Seiten; Headroom liest keine Bilder.</numerusform>
            <numerusform>%1 hat auf den %2 Seiten keinen Text, wie bei gescannten Seiten; Headroom liest keine Bilder.</numerusform>
        </translation>
    </message>
    <message>
        <source>is %1</source>
        <translation>ist %1 groß</translation>
    </message>
    <message>
        <source>%1 is neither text nor a PDF with text, so it cannot be attached.</source>
        <translation>%1 ist weder Text noch ein PDF mit Text und kann daher nicht angehängt werden.</translation>
    </message>
    <message>
        <source>%1 is empty; there is nothing to attach.</source>
        <translation>%1 ist leer; es gibt nichts anzuhängen.</translation>
    </message>
    <message>
        <source>has %1 of text</source>
        <translation>hat %1 Text</translation>
    </message>
    <message>
        <source>%1 is not there: it was moved or deleted.</source>
        <translation>%1 ist nicht da: verschoben oder gelöscht.</translation>
    </message>
    <message>
        <source>%1 is a device or a pipe, not a file; only text and PDF files can be attached.</source>
        <translation>%1 ist ein Gerät oder eine Pipe, keine Datei; nur Text- und PDF-Dateien können angehängt werden.</translation>
    </message>
    <message>
        <source>%1 is a PDF, which cannot be read here.</source>
        <translation>%1 ist ein PDF; das kann hier nicht gelesen werden.</translation>
    </message>
</context>
<context>
    <name>CardProof</name>
    <message>
        <source>Checking %1 before it is used: %2 %</source>
        <translation>%1 wird vor der Nutzung geprüft: %2 %</translation>
    </message>
    <message>
        <source>%1 was checked: it computes as the CPU does. Plans use it where it is faster.</source>
        <translation>%1 wurde geprüft und rechnet wie die CPU. Pläne nutzen die Karte, wo sie schneller ist.</translation>
    </message>
    <message>
        <source>%1 was checked: %2 is %3 times as fast as %4. Plans use it where it is faster than the CPU.</source>
        <extracomment>%1 a graphics card, %2 and %4 its drivers: &quot;RTX 4070 was checked: CUDA is 1.4 times as fast as Vulkan. Plans ...&quot;</extracomment>
        <translation>%1 wurde geprüft: %2 ist %3-mal so schnell wie %4. Pläne nutzen die Karte, wo sie schneller als die CPU ist.</translation>
    </message>
    <message>
        <source>%1 could not be checked and is not used yet.</source>
        <translation>%1 konnte nicht geprüft werden und wird noch nicht genutzt.</translation>
    </message>
    <message>
        <source>Found: %1. Help &gt; Check the graphics cards again repeats the check.</source>
        <extracomment>%1 what was found wrong, in the words of the check; then a menu and its entry</extracomment>
        <translation>Befund: %1. „Hilfe &gt; Grafikkarten erneut prüfen“ wiederholt die Prüfung.</translation>
    </message>
</context>
<context>
    <name>ClearButton</name>
    <message>
        <source>Clear this field</source>
        <translation>Dieses Feld leeren</translation>
    </message>
</context>
<context>
    <name>ContextQuestion</name>
    <message>
        <source>Plan a larger context</source>
        <translation>Größeren Kontext planen</translation>
    </message>
    <message>
        <source>The model was trained with a context of %1 tokens, and %2 are asked for.</source>
        <translation>Das Modell wurde mit einem Kontext von %1 Tokens trainiert, verlangt sind %2.</translation>
    </message>
    <message>
        <source>Beyond what it was trained with, a model&apos;s answers often lose their sense.</source>
        <translation>Jenseits davon verlieren die Antworten eines Modells oft ihren Sinn.</translation>
    </message>
    <message>
        <source>Plan %1 tokens</source>
        <translation>%1 Tokens planen</translation>
    </message>
</context>
<context>
    <name>DeviceName</name>
    <message>
        <source>Host</source>
        <translation>RAM</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <extracomment>A graphics card and the driver that it is used by: &quot;RTX 4070 (Vulkan)&quot;</extracomment>
        <translation>%1 (%2)</translation>
    </message>
    <message>
        <source>%1 failed its check and is used only where you choose it.</source>
        <translation>%1 hat die Prüfung nicht bestanden und wird nur genutzt, wo Sie es wählen.</translation>
    </message>
</context>
<context>
    <name>DevicesPage</name>
    <message>
        <source>%1 of memory</source>
        <translation>%1 Speicher</translation>
    </message>
    <message>
        <source>%1 of memory, shared with the CPU</source>
        <translation>%1 Speicher, mit der CPU geteilt</translation>
    </message>
    <message>
        <source> · reads %1 GB/s, as measured</source>
        <translation> · liest %1 GB/s (gemessen)</translation>
    </message>
    <message>
        <source>Checked: it computes what the CPU computes.</source>
        <translation>Geprüft: rechnet, was die CPU rechnet.</translation>
    </message>
    <message>
        <source>Not checked yet, so it is used only where you choose it.</source>
        <translation>Noch nicht geprüft und daher nur genutzt, wo Sie es wählen.</translation>
    </message>
    <message>
        <source>Is being checked now.</source>
        <translation>Wird gerade geprüft.</translation>
    </message>
    <message>
        <source>Kernels: %1</source>
        <translation>Kernel: %1</translation>
    </message>
</context>
<context>
    <name>DownloadRecord</name>
    <message>
        <source>It is no record of a download</source>
        <translation>Das ist kein Eintrag eines Downloads</translation>
    </message>
</context>
<context>
    <name>Format</name>
    <message>
        <source>%1 s</source>
        <translation>%1 s</translation>
    </message>
    <message>
        <source>%1 min %2 s</source>
        <translation>%1 min %2 s</translation>
    </message>
    <message>
        <source>d MMM yyyy, HH:mm</source>
        <extracomment>Day and time, as QDateTime::toString() has it: &quot;24 Nov 2026, 18:05&quot;</extracomment>
        <translation>d. MMM yyyy, HH:mm</translation>
    </message>
    <message>
        <source>Yesterday</source>
        <translation>Gestern</translation>
    </message>
    <message>
        <source>d MMM</source>
        <extracomment>A day of this year, as QDate::toString() has it: &quot;24 Nov&quot;</extracomment>
        <translation>d. MMM</translation>
    </message>
    <message>
        <source>d MMM yyyy</source>
        <extracomment>A day of another year, as QDate::toString() has it: &quot;24 Nov 2025&quot;</extracomment>
        <translation>d. MMM yyyy</translation>
    </message>
    <message>
        <source>%1 tokens/s</source>
        <translation>%1 Tokens/s</translation>
    </message>
</context>
<context>
    <name>LibraryEntry</name>
    <message>
        <source>Its file is missing</source>
        <translation>Die Datei fehlt</translation>
    </message>
    <message numerus="yes">
        <source>%n of %1 parts missing</source>
        <translation>
            <numerusform>%n von %1 Teilen fehlt</numerusform>
            <numerusform>%n von %1 Teilen fehlen</numerusform>
        </translation>
    </message>
    <message>
        <source>Offline</source>
        <translation>Offline</translation>
    </message>
    <message>
        <source>Still being written</source>
        <translation>Wird noch geschrieben</translation>
    </message>
    <message>
        <source>Reading…</source>
        <translation>Wird gelesen …</translation>
    </message>
    <message>
        <source>Incomplete</source>
        <translation>Unvollständig</translation>
    </message>
    <message>
        <source>Not supported</source>
        <translation>Nicht unterstützt</translation>
    </message>
    <message>
        <source>Cannot be read</source>
        <translation>Nicht lesbar</translation>
    </message>
    <message>
        <source>context %1</source>
        <translation>Kontext %1</translation>
    </message>
    <message>
        <source>Its folder, %1, cannot be reached now.</source>
        <translation>Der Ordner %1 ist gerade nicht erreichbar.</translation>
    </message>
    <message>
        <source>It is looked at again when its file no longer grows.</source>
        <translation>Die Datei wird erneut gelesen, sobald sie nicht mehr wächst.</translation>
    </message>
</context>
<context>
    <name>MemoryAccount</name>
    <message>
        <source>not known</source>
        <translation>unbekannt</translation>
    </message>
    <message>
        <source>about %1</source>
        <translation>etwa %1</translation>
    </message>
    <message>
        <source>at most %1</source>
        <translation>höchstens %1</translation>
    </message>
    <message>
        <source>, and what other programs hold is not known</source>
        <translation>, Anteil anderer Programme unbekannt</translation>
    </message>
    <message>
        <source>%1 of the model was pushed out of this device into the computer’s ordinary memory, from where it is read many times more slowly. Close other programs that use the device, or load with fewer layers on it or a shorter context.</source>
        <translation>%1 des Modells wurden von diesem Gerät in den Arbeitsspeicher des Rechners verdrängt; von dort wird um ein Vielfaches langsamer gelesen. Schließen Sie andere Programme, die das Gerät nutzen, oder laden Sie mit weniger Schichten darauf oder mit kürzerem Kontext.</translation>
    </message>
</context>
<context>
    <name>MemoryChip</name>
    <message>
        <source>%1, exact</source>
        <translation>%1, exakt</translation>
    </message>
    <message>
        <source>Loading: %1 %</source>
        <translation>Laden: %1 %</translation>
    </message>
    <message>
        <source>Device lost</source>
        <translation>Gerät verloren</translation>
    </message>
    <message>
        <source>No plan</source>
        <translation>Kein Plan</translation>
    </message>
    <message>
        <source>Fits: %1</source>
        <translation>Passt: %1</translation>
    </message>
    <message>
        <source>Does not fit by %1</source>
        <translation>Passt nicht: %1 fehlen</translation>
    </message>
</context>
<context>
    <name>Message</name>
    <message>
        <source>a text that is not empty</source>
        <translation>ein nicht leerer Text</translation>
    </message>
    <message>
        <source>{} is empty</source>
        <translation>{} ist leer</translation>
    </message>
    <message>
        <source>{} has {} bytes, at most {} are accepted</source>
        <translation>{} hat {} Byte, höchstens {} sind zulässig</translation>
    </message>
    <message>
        <source>{} {} is not printable ASCII</source>
        <translation>{} {} ist kein druckbares ASCII</translation>
    </message>
    <message>
        <source>a boolean is {}, expected 0 or 1</source>
        <translation>ein boolescher Wert ist {}, erwartet 0 oder 1</translation>
    </message>
    <message>
        <source>an array element</source>
        <translation>ein Array-Element</translation>
    </message>
    <message>
        <source>a boolean</source>
        <translation>ein boolescher Wert</translation>
    </message>
    <message>
        <source>rotary angles</source>
        <translation>Rotationswinkel</translation>
    </message>
    <message>
        <source>metadata &apos;{}&apos; times the width of an expert is {}, expected at most {}</source>
        <translation>Metadatum „{}“ mal die Breite eines Experten ist {}, erwartet höchstens {}</translation>
    </message>
    <message>
        <source>metadata &apos;{}&apos; is {}, expected the size of a key, {}: this version has equal ones only</source>
        <translation>Metadatum „{}“ ist {}, erwartet die Größe eines Keys, {}: Diese Version kennt nur gleiche</translation>
    </message>
    <message>
        <source>metadata &apos;{}&apos; is {}, which does not divide &apos;{}&apos;, {}, and &apos;{}&apos; is missing</source>
        <translation>Metadatum „{}“ ist {} und teilt „{}“, {}, nicht; außerdem fehlt „{}“</translation>
    </message>
    <message>
        <source>a head has {} elements by metadata &apos;{}&apos;, expected an even number up to {}</source>
        <translation>ein Head hat {} Elemente laut Metadatum „{}“, erwartet eine gerade Zahl bis {}</translation>
    </message>
    <message>
        <source>metadata &apos;{}&apos; is {}, expected less than &apos;{}&apos;, {}</source>
        <translation>Metadatum „{}“ ist {}, erwartet weniger als „{}“, {}</translation>
    </message>
    <message>
        <source>metadata &apos;{}&apos; is {}, expected more than 0, and a number of 32 bits</source>
        <translation>Metadatum „{}“ ist {}, erwartet mehr als 0 und eine Zahl mit 32 Bit</translation>
    </message>
    <message>
        <source>metadata &apos;{}&apos; is {}, which does not divide &apos;{}&apos;, {}</source>
        <translation>Metadatum „{}“ ist {} und teilt „{}“, {}, nicht</translation>
    </message>
    <message numerus="yes">
        <source>%n string(s)</source>
        <translation>
            <numerusform>%n Zeichenkette</numerusform>
            <numerusform>%n Zeichenketten</numerusform>
        </translation>
    </message>
    <message>
        <source>metadata &apos;{}&apos;: expected {}, found {}</source>
        <translation>Metadatum „{}“: erwartet {}, gefunden {}</translation>
    </message>
    <message>
        <source>a zip archive (a PyTorch checkpoint?)</source>
        <translation>ein ZIP-Archiv (ein PyTorch-Checkpoint?)</translation>
    </message>
    <message>
        <source>a pickled PyTorch checkpoint</source>
        <translation>ein mit Pickle geschriebener PyTorch-Checkpoint</translation>
    </message>
    <message>
        <source>a GGML file from before GGUF</source>
        <translation>eine GGML-Datei aus der Zeit vor GGUF</translation>
    </message>
    <message>
        <source>a gzip archive</source>
        <translation>ein gzip-Archiv</translation>
    </message>
    <message>
        <source>a text file (a Git LFS pointer instead of the model?)</source>
        <translation>eine Textdatei (ein Git-LFS-Zeiger statt des Modells?)</translation>
    </message>
    <message>
        <source>a web page</source>
        <translation>eine Webseite</translation>
    </message>
    <message>
        <source>a program</source>
        <translation>ein Programm</translation>
    </message>
    <message>
        <source>metadata &apos;{}&apos; is {}, expected {} to {}</source>
        <translation>Metadatum „{}“ ist {}, erwartet {} bis {}</translation>
    </message>
    <message>
        <source>metadata &apos;{}&apos; is {} in one layer and {} in another: this version has experts of one width</source>
        <translation>Metadatum „{}“ ist {} in einer Schicht und {} in einer anderen: Diese Version kennt nur Experten einer Breite</translation>
    </message>
</context>
<context>
    <name>ModelFit</name>
    <message>
        <source>Fits</source>
        <translation>Passt</translation>
    </message>
    <message>
        <source>Fits in RAM</source>
        <translation>Passt in den RAM</translation>
    </message>
    <message>
        <source>Fits with %1 of %2 layers partly in RAM</source>
        <translation>Passt, %1 von %2 Schichten teils im RAM</translation>
    </message>
    <message>
        <source>Fits with %1 of %2 layers in RAM</source>
        <translation>Passt, %1 von %2 Schichten im RAM</translation>
    </message>
    <message>
        <source>Too large by %1</source>
        <translation>%1 zu groß</translation>
    </message>
    <message>
        <source>No plan</source>
        <translation>Kein Plan</translation>
    </message>
    <message>
        <source>%1 · %2</source>
        <extracomment>Whether a model fits, and how fast it would be: &quot;Fits · about 42 tokens/s&quot;</extracomment>
        <translation>%1 · %2</translation>
    </message>
</context>
<context>
    <name>ModelFolders</name>
    <message>
        <source>Downloads</source>
        <translation>Downloads</translation>
    </message>
</context>
<context>
    <name>ModelsToStart</name>
    <message>
        <source>The list of models to start with: &quot;%1&quot; is incomplete</source>
        <translation>Die Liste der Modelle für den Anfang: „%1“ ist unvollständig</translation>
    </message>
    <message>
        <source>The list of models to start with is empty</source>
        <translation>Die Liste der Modelle für den Anfang ist leer</translation>
    </message>
</context>
<context>
    <name>PlanPreview</name>
    <message>
        <source>does not fit</source>
        <translation>passt nicht</translation>
    </message>
</context>
<context>
    <name>QObject</name>
    <message>
        <source>%1 too much</source>
        <translation>%1 zu viel</translation>
    </message>
    <message>
        <source>%1, with %2 to keep free</source>
        <translation>%1, bei %2 Reserve</translation>
    </message>
    <message>
        <source>%1 to spare</source>
        <translation>%1 übrig</translation>
    </message>
    <message>
        <source>%1 kept free, %2</source>
        <translation>%1 Reserve, %2</translation>
    </message>
    <message>
        <source>Copied</source>
        <translation>Kopiert</translation>
    </message>
    <message>
        <source>stopped</source>
        <translation>angehalten</translation>
    </message>
    <message>
        <source>length limit reached</source>
        <translation>Höchstlänge erreicht</translation>
    </message>
    <message>
        <source>context full</source>
        <translation>Kontext voll</translation>
    </message>
    <message>
        <source>interrupted</source>
        <translation>unterbrochen</translation>
    </message>
    <message numerus="yes">
        <source>%1 · %2 tokens</source>
        <translation>
            <numerusform>%1 · %2 Token</numerusform>
            <numerusform>%1 · %2 Tokens</numerusform>
        </translation>
    </message>
    <message>
        <source>Thinking…</source>
        <translation>Denkt nach …</translation>
    </message>
    <message>
        <source>Thinking… %1</source>
        <translation>Denkt nach … %1</translation>
    </message>
    <message>
        <source>Thought</source>
        <translation>Gedanken</translation>
    </message>
    <message>
        <source>Thought for less than a second</source>
        <translation>Weniger als eine Sekunde nachgedacht</translation>
    </message>
    <message>
        <source>Thought for %1</source>
        <translation>%1 nachgedacht</translation>
    </message>
    <message>
        <source>drivers %1, program %2</source>
        <translation>Treiber %1, Programm %2</translation>
    </message>
    <message>
        <source>%1, arenas %2</source>
        <translation>%1, Arenen %2</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <extracomment>Two amounts: &quot;3.55 MiB of 2.00 GiB&quot;</extracomment>
        <translation>%1 von %2</translation>
    </message>
    <message>
        <source>%1 of %2 %3</source>
        <extracomment>Two amounts in one unit: &quot;1.20 of 4.58 GiB&quot;</extracomment>
        <translation>%1 von %2 %3</translation>
    </message>
    <message>
        <source>Drop the oldest turns</source>
        <translation>Älteste Beiträge weglassen</translation>
    </message>
    <message>
        <source>They stay on the screen; the model no longer reads them</source>
        <translation>Sie bleiben auf dem Bildschirm; das Modell liest sie nicht mehr</translation>
    </message>
    <message>
        <source>Summarise them</source>
        <translation>Zusammenfassen</translation>
    </message>
    <message>
        <source>The model writes a summary that takes the place of the oldest turns</source>
        <translation>Das Modell schreibt eine Zusammenfassung, die an die Stelle der ältesten Beiträge tritt</translation>
    </message>
    <message>
        <source>Plan a larger context…</source>
        <translation>Größeren Kontext planen …</translation>
    </message>
    <message>
        <source>Opens the calculator with a context that would do</source>
        <translation>Öffnet die Speicherplanung mit einem Kontext, der reicht</translation>
    </message>
    <message>
        <source>Use the plain form</source>
        <translation>Einfache Form nutzen</translation>
    </message>
    <message>
        <source>Until another model is loaded</source>
        <translation>Bis ein anderes Modell geladen wird</translation>
    </message>
    <message>
        <source>Load the model again</source>
        <translation>Modell neu laden</translation>
    </message>
    <message>
        <source>With the same plan; a device that is gone is left out</source>
        <translation>Mit demselben Plan; ein Gerät, das weg ist, bleibt außen vor</translation>
    </message>
    <message>
        <source>Load it without this device</source>
        <translation>Ohne dieses Gerät laden</translation>
    </message>
    <message>
        <source>On another GPU of this machine, or on the CPU where there is none</source>
        <translation>Auf eine andere GPU dieses Rechners oder, wo es keine gibt, auf die CPU</translation>
    </message>
    <message>
        <source>another conversation took its place in the cache</source>
        <translation>eine andere Unterhaltung hat ihren Platz im Cache eingenommen</translation>
    </message>
    <message>
        <source>the system prompt is another one</source>
        <translation>der Systemprompt ist ein anderer</translation>
    </message>
    <message>
        <source>the prompt differs from the cache from message %1 on</source>
        <translation>der Prompt weicht ab Nachricht %1 vom Cache ab</translation>
    </message>
    <message>
        <source>the prompt differs from the cache from message %1 on (its thinking is left out)</source>
        <translation>der Prompt weicht ab Nachricht %1 vom Cache ab (deren Gedanken fehlen darin)</translation>
    </message>
    <message>
        <source>the prompt differs from the cache after %1 tokens</source>
        <translation>der Prompt weicht nach %1 Tokens vom Cache ab</translation>
    </message>
    <message>
        <source>%1 tokens are the same, but this model&apos;s cache can only go on from an earlier checkpoint</source>
        <translation>%1 Tokens sind gleich, doch der Cache dieses Modells lässt sich nur an einem früheren Checkpoint fortsetzen</translation>
    </message>
</context>
<context>
    <name>RegionKind</name>
    <message>
        <source>Weights</source>
        <translation>Gewichte</translation>
    </message>
    <message>
        <source>KV cache</source>
        <translation>KV-Cache</translation>
    </message>
    <message>
        <source>KV cache, keys</source>
        <translation>KV-Cache, Keys</translation>
    </message>
    <message>
        <source>KV cache, values</source>
        <translation>KV-Cache, Values</translation>
    </message>
    <message>
        <source>KV cache, exact keys</source>
        <translation>KV-Cache, exakte Keys</translation>
    </message>
    <message>
        <source>KV cache, exact values</source>
        <translation>KV-Cache, exakte Values</translation>
    </message>
    <message>
        <source>State</source>
        <translation>Zustand</translation>
    </message>
    <message>
        <source>Checkpoints</source>
        <translation>Checkpoints</translation>
    </message>
    <message>
        <source>Activations</source>
        <translation>Aktivierungen</translation>
    </message>
    <message>
        <source>Logits</source>
        <translation>Logits</translation>
    </message>
    <message>
        <source>Scratch</source>
        <translation>Arbeitsbereich</translation>
    </message>
    <message>
        <source>Streamed weights</source>
        <translation>Gestreamte Gewichte</translation>
    </message>
    <message>
        <source>Staging</source>
        <translation>Staging</translation>
    </message>
    <message>
        <source>Padding</source>
        <translation>Auffüllung</translation>
    </message>
</context>
<context>
    <name>RemovalQuestion</name>
    <message>
        <source>Delete a message</source>
        <translation>Nachricht löschen</translation>
    </message>
    <message>
        <source>Delete this message? It cannot be brought back.</source>
        <translation>Diese Nachricht löschen? Sie lässt sich nicht zurückholen.</translation>
    </message>
    <message>
        <source>&amp;Delete</source>
        <translation>&amp;Löschen</translation>
    </message>
    <message>
        <source>What was said after it (%1) can stay, or go with it.</source>
        <translation>Was danach gesagt wurde (%1), kann bleiben oder mitgelöscht werden.</translation>
    </message>
    <message>
        <source>What was said after it (%1) goes with it.</source>
        <translation>Was danach gesagt wurde (%1), wird mitgelöscht.</translation>
    </message>
    <message>
        <source>Delete &amp;this one</source>
        <translation>&amp;Nur diese löschen</translation>
    </message>
    <message>
        <source>&amp;Delete it and what follows</source>
        <translation>&amp;Mit allem danach löschen</translation>
    </message>
</context>
<context>
    <name>SaveDialog</name>
    <message>
        <source>Save</source>
        <translation>Speichern</translation>
    </message>
    <message>
        <source>%1 is there already.</source>
        <translation>%1 gibt es schon.</translation>
    </message>
    <message>
        <source>&amp;Overwrite it</source>
        <translation>&amp;Überschreiben</translation>
    </message>
</context>
<context>
    <name>Segment</name>
    <message>
        <source>Weights</source>
        <translation>Gewichte</translation>
    </message>
    <message>
        <source>The model&apos;s own numbers, read from the file once.</source>
        <translation>Die Zahlen des Modells selbst, einmal aus der Datei gelesen.</translation>
    </message>
    <message>
        <source>KV cache, used</source>
        <translation>KV-Cache, benutzt</translation>
    </message>
    <message>
        <source>Keys and values of the tokens in the context now.</source>
        <translation>Keys und Values der Tokens, die jetzt im Kontext stehen.</translation>
    </message>
    <message>
        <source>KV cache, reserved</source>
        <translation>KV-Cache, reserviert</translation>
    </message>
    <message>
        <source>Kept for tokens that are still to come; taken at load, so it cannot run out later.</source>
        <translation>Für Tokens, die noch kommen; wird beim Laden belegt und kann daher später nicht ausgehen.</translation>
    </message>
    <message>
        <source>State</source>
        <translation>Zustand</translation>
    </message>
    <message>
        <source>What recurrent layers keep of a conversation: as much for a long one as for a short one.</source>
        <translation>Was rekurrente Schichten von einer Unterhaltung behalten: für eine lange so viel wie für eine kurze.</translation>
    </message>
    <message>
        <source>Checkpoints</source>
        <translation>Checkpoints</translation>
    </message>
    <message>
        <source>Copies of what cannot go back, from earlier in the conversation: an answer that is generated again and a message that is changed go on from there.</source>
        <translation>Kopien früherer Stände dessen, was nicht zurückspringen kann: Eine neu erzeugte Antwort und eine geänderte Nachricht setzen dort an.</translation>
    </message>
    <message>
        <source>Activations</source>
        <translation>Aktivierungen</translation>
    </message>
    <message>
        <source>Intermediate results of one step: activations, logits, scratch and staging.</source>
        <translation>Zwischenergebnisse eines Schritts: Aktivierungen, Logits, Arbeitsbereich und Staging.</translation>
    </message>
    <message>
        <source>This program</source>
        <translation>Dieses Programm</translation>
    </message>
    <message>
        <source>What Headroom itself holds in the computer&apos;s ordinary memory beside all this: the window, and the model&apos;s tokenizer, chat template and tables.</source>
        <translation>Was Headroom selbst neben alldem im Arbeitsspeicher hält: das Fenster sowie Tokenizer, Chat-Vorlage und Tabellen des Modells.</translation>
    </message>
    <message>
        <source>Driver</source>
        <translation>Treiber</translation>
    </message>
    <message>
        <source>What the device&apos;s driver takes for itself when we use the device.</source>
        <translation>Was der Treiber des Geräts für sich selbst braucht, wenn wir das Gerät nutzen.</translation>
    </message>
    <message>
        <source>Other programs</source>
        <translation>Andere Programme</translation>
    </message>
    <message>
        <source>Held by other programs and the system.</source>
        <translation>Von anderen Programmen und vom System belegt.</translation>
    </message>
    <message>
        <source>Headroom</source>
        <translation>Reserve</translation>
    </message>
    <message>
        <source>What you asked to keep free.</source>
        <translation>Was auf Ihren Wunsch frei bleibt.</translation>
    </message>
    <message>
        <source>Free</source>
        <translation>Frei</translation>
    </message>
    <message>
        <source>Free, and allowed to be used.</source>
        <translation>Frei und zur Nutzung erlaubt.</translation>
    </message>
</context>
<context>
    <name>Shortcuts</name>
    <message>
        <source> or </source>
        <extracomment>Between keys that do the same</extracomment>
        <translation> oder </translation>
    </message>
</context>
<context>
    <name>Verdict</name>
    <message>
        <source>Other programs hold %1 of %2.</source>
        <translation>Andere Programme belegen %1 von %2.</translation>
    </message>
    <message>
        <source>The driver takes %1 (measured).</source>
        <translation>Der Treiber belegt %1 (gemessen).</translation>
    </message>
    <message>
        <source>The driver of %1 takes %2 (measured).</source>
        <translation>Der Treiber von %1 belegt %2 (gemessen).</translation>
    </message>
    <message>
        <source>Fits</source>
        <translation>Passt</translation>
    </message>
    <message>
        <source>Does not fit by %1</source>
        <translation>Passt nicht: %1 fehlen</translation>
    </message>
    <message>
        <source>Takes exactly %1.</source>
        <translation>Belegt exakt %1.</translation>
    </message>
    <message>
        <source>%1 reserved exactly</source>
        <translation>%1 exakt reserviert</translation>
    </message>
    <message>
        <source>%1 for tokenizer and tables</source>
        <translation>%1 für Tokenizer und Tabellen</translation>
    </message>
    <message>
        <source>%1 for drivers</source>
        <translation>%1 für Treiber</translation>
    </message>
    <message>
        <source>%1 while it loads</source>
        <translation>%1 während des Ladens</translation>
    </message>
    <message>
        <source>Takes %1: %2.</source>
        <extracomment>All that a plan takes, and its parts: &quot;Takes 72.0 MiB: 71.8 MiB reserved exactly, 212 KiB for tokenizer and tables&quot;</extracomment>
        <translation>Belegt %1: %2.</translation>
    </message>
</context>
<context>
    <name>Verify</name>
    <message>
        <source>%1: %2 planned, %3 mapped (%4).</source>
        <translation>%1: %2 geplant, %3 belegt (%4).</translation>
    </message>
    <message>
        <source>Allocations since load: %1.</source>
        <translation>Anforderungen seit dem Laden: %1.</translation>
    </message>
    <message>
        <source>Slots filled to their end: %1 of %2.</source>
        <translation>Bis zum Ende gefüllte Slots: %1 von %2.</translation>
    </message>
    <message>
        <source>A prompt of %1 tokens was taken, and the context holds %2.</source>
        <translation>Ein Prompt von %1 Tokens wurde angenommen, der Kontext fasst aber %2.</translation>
    </message>
    <message>
        <source>Drivers took %1 more over the answers; up to %2 is allowed.</source>
        <translation>Die Treiber brauchten über die Antworten hinweg %1 mehr; erlaubt sind bis zu %2.</translation>
    </message>
    <message>
        <source>The heap grew by %1 over the answers; up to %2 is allowed.</source>
        <translation>Der Heap wuchs über die Antworten hinweg um %1; erlaubt sind bis zu %2.</translation>
    </message>
    <message>
        <source>Mappings grew by %1 over the answers; up to %2 is allowed.</source>
        <translation>Die Mappings wuchsen über die Antworten hinweg um %1; erlaubt sind bis zu %2.</translation>
    </message>
    <message>
        <source>Not as planned</source>
        <translation>Nicht wie geplant</translation>
    </message>
    <message>
        <source>As planned: %1 planned, %2 mapped, nothing allocated since load</source>
        <translation>Wie geplant: %1 geplant, %2 belegt, nichts angefordert seit dem Laden</translation>
    </message>
    <message>
        <source>Step %1 of %2: %3</source>
        <translation>Schritt %1 von %2: %3</translation>
    </message>
    <message>
        <source>filling a slot, and timing</source>
        <translation>einen Slot füllen, mit Zeitmessung</translation>
    </message>
    <message>
        <source>filling all slots to their end</source>
        <translation>alle Slots bis zum Ende füllen</translation>
    </message>
    <message>
        <source>writing short answers</source>
        <translation>kurze Antworten schreiben</translation>
    </message>
    <message>
        <source>Stopped. The model is loaded as before.</source>
        <translation>Angehalten. Das Modell ist geladen wie zuvor.</translation>
    </message>
    <message>
        <source>It did not come to its end: %1</source>
        <translation>Die Prüfung kam nicht zum Ende: %1</translation>
    </message>
</context>
<context>
    <name>ViewKeys</name>
    <message>
        <source>Conversation</source>
        <translation>Unterhaltung</translation>
    </message>
    <message>
        <source>List of conversations</source>
        <translation>Liste der Unterhaltungen</translation>
    </message>
    <message>
        <source>Finding text</source>
        <translation>Textsuche</translation>
    </message>
    <message>
        <source>Library</source>
        <translation>Bibliothek</translation>
    </message>
    <message>
        <source>Window</source>
        <translation>Fenster</translation>
    </message>
    <message>
        <source>Send the message</source>
        <translation>Die Nachricht senden</translation>
    </message>
    <message>
        <source>Send the message, unless set otherwise</source>
        <translation>Senden, falls nicht anders eingestellt</translation>
    </message>
    <message>
        <source>Begin a new line</source>
        <translation>Eine neue Zeile beginnen</translation>
    </message>
    <message>
        <source>Edit the last message; in an empty field</source>
        <translation>Die letzte Nachricht bearbeiten; im leeren Feld</translation>
    </message>
    <message>
        <source>Leave an edit, stop the answer</source>
        <translation>Bearbeiten beenden, Antwort anhalten</translation>
    </message>
    <message>
        <source>A line up</source>
        <translation>Eine Zeile nach oben</translation>
    </message>
    <message>
        <source>A line down</source>
        <translation>Eine Zeile nach unten</translation>
    </message>
    <message>
        <source>A page up</source>
        <translation>Eine Seite nach oben</translation>
    </message>
    <message>
        <source>A page down</source>
        <translation>Eine Seite nach unten</translation>
    </message>
    <message>
        <source>To its start</source>
        <translation>Zum Anfang</translation>
    </message>
    <message>
        <source>To its end</source>
        <translation>Zum Ende</translation>
    </message>
    <message>
        <source>New conversation</source>
        <translation>Neue Unterhaltung</translation>
    </message>
    <message>
        <source>Show or hide the list</source>
        <translation>Liste ein- oder ausblenden</translation>
    </message>
    <message>
        <source>Show or hide the options of answers</source>
        <translation>Optionen der Antworten ein- oder ausblenden</translation>
    </message>
    <message>
        <source>Delete the chosen one</source>
        <translation>Die gewählte löschen</translation>
    </message>
    <message>
        <source>Find in this conversation or file</source>
        <translation>In dieser Unterhaltung oder Datei suchen</translation>
    </message>
    <message>
        <source>Next hit</source>
        <translation>Nächster Treffer</translation>
    </message>
    <message>
        <source>Previous hit</source>
        <translation>Voriger Treffer</translation>
    </message>
    <message>
        <source>Next hit; in the field</source>
        <translation>Nächster Treffer; im Feld</translation>
    </message>
    <message>
        <source>Previous hit; in the field</source>
        <translation>Voriger Treffer; im Feld</translation>
    </message>
    <message>
        <source>Stop finding</source>
        <translation>Suche beenden</translation>
    </message>
    <message>
        <source>From the search to the models</source>
        <translation>Von der Suche zu den Modellen</translation>
    </message>
    <message>
        <source>Load the chosen model</source>
        <translation>Das gewählte Modell laden</translation>
    </message>
    <message>
        <source>Move the chosen model to the trash</source>
        <translation>Das gewählte Modell in den Papierkorb verschieben</translation>
    </message>
    <message>
        <source>Empty the search; then back to the chat</source>
        <translation>Die Suche leeren; dann zurück zum Chat</translation>
    </message>
    <message>
        <source>Menu of what is chosen in a list</source>
        <translation>Menü zu dem in einer Liste Gewählten</translation>
    </message>
    <message>
        <source>Choose a file; on the area where models are dropped</source>
        <translation>Eine Datei wählen; auf der Fläche, auf der Modelle abgelegt werden</translation>
    </message>
    <message>
        <source>Fold away what covers the chat</source>
        <translation>Einklappen, was den Chat verdeckt</translation>
    </message>
    <message>
        <source>To the next control</source>
        <translation>Zum nächsten Bedienelement</translation>
    </message>
    <message>
        <source>To the control before</source>
        <translation>Zum vorigen Bedienelement</translation>
    </message>
    <message>
        <source>Copy what is selected</source>
        <translation>Das Markierte kopieren</translation>
    </message>
    <message>
        <source>Select the text, then its message, then all</source>
        <translation>Den Text markieren, dann seine Nachricht, dann alles</translation>
    </message>
</context>
<context>
    <name>headroom::Message</name>
    <message>
        <source>{}: buffer {} is not on this device, or not in the program</source>
        <translation>{}: Puffer {} liegt nicht auf diesem Gerät oder nicht im Programm</translation>
    </message>
    <message>
        <source>{}: expected at most {} bytes of buffer {} ({}), found {}</source>
        <translation>{}: erwartet höchstens {} Byte von Puffer {} ({}), gefunden {}</translation>
    </message>
    <message>
        <source>the plan is for {} threads of {}, this backend has {}</source>
        <translation>der Plan gilt für {} Threads von {}, dieses Backend hat {}</translation>
    </message>
    <message>
        <source>{}: asked for {} ({} bytes), free {} ({} bytes)</source>
        <translation>{}: verlangt {} ({} Byte), frei {} ({} Byte)</translation>
    </message>
    <message>
        <source>the step was stopped</source>
        <translation>der Schritt wurde angehalten</translation>
    </message>
    <message>
        <source>cpu: asked for {} threads, the system gave {}</source>
        <translation>cpu: verlangt {} Threads, das System gab {}</translation>
    </message>
    <message>
        <source>measuring the CPU: asked for {} with as much left, free {}</source>
        <translation>Messung der CPU: verlangt {} und noch einmal so viel, frei {}</translation>
    </message>
    <message>
        <source>copying a prompt was stopped</source>
        <translation>das Kopieren eines Prompts wurde angehalten</translation>
    </message>
    <message>
        <source>HEADROOM_ISA={}: this set would compute wrong answers and is not used: {}</source>
        <translation>HEADROOM_ISA={}: Dieser Befehlssatz würde falsch rechnen und wird nicht genutzt: {}</translation>
    </message>
    <message>
        <source>cpu: no instruction set of this machine computes right answers: {}</source>
        <translation>cpu: Kein Befehlssatz dieses Rechners rechnet richtig: {}</translation>
    </message>
    <message>
        <source>The CPU computes with {}, since faster kernels are wrong on this machine and are not used: {}</source>
        <translation>Die CPU rechnet mit {}, denn schnellere Kernel rechnen auf diesem Rechner falsch und werden nicht genutzt: {}</translation>
    </message>
    <message>
        <source>{}: asked for {} ({} bytes) of {} memory, free {} ({} bytes), refused by the driver: {}</source>
        <translation>{}: verlangt {} ({} Byte, Speicher: {}), frei {} ({} Byte), vom Treiber abgelehnt: {}</translation>
    </message>
    <message>
        <source>{}: expected the CUDA device {}, found {} devices{}</source>
        <translation>{}: erwartet das CUDA-Gerät {}, gefunden {} Geräte{}</translation>
    </message>
    <message>
        <source>; {}</source>
        <translation>; {}</translation>
    </message>
    <message>
        <source>CUDA: {}: {}</source>
        <translation>CUDA: {}: {}</translation>
    </message>
    <message>
        <source>the driver does not tell what it can do: {}</source>
        <translation>der Treiber sagt nicht, was er kann: {}</translation>
    </message>
    <message>
        <source>expected compute capability {}.{} or newer, found {}.{}</source>
        <translation>erwartet Compute Capability {}.{} oder neuer, gefunden {}.{}</translation>
    </message>
    <message>
        <source>its compute mode forbids programs to use it</source>
        <translation>sein Rechenmodus verbietet Programmen die Nutzung</translation>
    </message>
    <message>
        <source>the driver does not tell its memory: {}</source>
        <translation>der Treiber nennt seinen Speicher nicht: {}</translation>
    </message>
    <message>
        <source>CUDA: the driver finds no device</source>
        <translation>CUDA: Der Treiber findet kein Gerät</translation>
    </message>
    <message>
        <source>NVML tells of a card with {}, its driver of one with {}: an instance of a card that is divided (MIG), whose own figures nobody tells</source>
        <translation>NVML meldet eine Karte mit {}, der Treiber eine mit {}: eine Instanz einer geteilten Karte (MIG), deren eigene Zahlen niemand meldet</translation>
    </message>
    <message>
        <source>{}; restart Headroom to use it again</source>
        <translation>{}; Headroom neu starten, um es wieder zu nutzen</translation>
    </message>
    <message>
        <source>{}: the device was lost</source>
        <translation>{}: Das Gerät ging verloren</translation>
    </message>
    <message>
        <source>{}: the device was lost while {}: {}</source>
        <translation>{}: Das Gerät ging verloren beim {}: {}</translation>
    </message>
    <message>
        <source>{} (compute capability {}.{})</source>
        <translation>{} (Compute Capability {}.{})</translation>
    </message>
    <message>
        <source>CUDA {} ({} or newer)</source>
        <translation>CUDA {} ({} oder neuer)</translation>
    </message>
    <message>
        <source>this machine has no NVIDIA driver ({})</source>
        <translation>dieser Rechner hat keinen NVIDIA-Treiber ({})</translation>
    </message>
    <message>
        <source>the driver does not tell its version (error {})</source>
        <translation>der Treiber nennt seine Version nicht (Fehler {})</translation>
    </message>
    <message>
        <source>expected a driver for {}, found one without {}</source>
        <translation>erwartet ein Treiber für {}, gefunden einer ohne {}</translation>
    </message>
    <message>
        <source>the driver cannot be started: {}</source>
        <translation>der Treiber lässt sich nicht starten: {}</translation>
    </message>
    <message>
        <source>unknown error</source>
        <translation>unbekannter Fehler</translation>
    </message>
    <message>
        <source>NVIDIA&apos;s driver is for CUDA {}, the kernels here need one for {}</source>
        <translation>der Treiber von NVIDIA ist für CUDA {}, die Kernel hier brauchen einen für {}</translation>
    </message>
    <message>
        <source>{}: {} failed: {}</source>
        <translation>{}: {} fehlgeschlagen: {}</translation>
    </message>
    <message>
        <source>measuring {}: asked for {} with as much left, free {}</source>
        <translation>Messung von {}: verlangt {} und noch einmal so viel, frei {}</translation>
    </message>
    <message>
        <source>loading was cancelled</source>
        <translation>das Laden wurde abgebrochen</translation>
    </message>
    <message>
        <source>{}: no answer within {} s while {}{}</source>
        <translation>{}: keine Antwort innerhalb von {} s beim {}{}</translation>
    </message>
    <message>
        <source>{}: the device was given up, since it did not answer</source>
        <translation>{}: Das Gerät wurde aufgegeben, weil es nicht antwortete</translation>
    </message>
    <message>
        <source>: the device is given up, and what it holds stays taken until it answers or the program ends</source>
        <translation>: Das Gerät wird aufgegeben, und was es hält, bleibt belegt, bis es antwortet oder das Programm endet</translation>
    </message>
    <message>
        <source>{}: expected numbers below {} such as 0 or 1,0, or none, found &quot;{}&quot;</source>
        <translation>{}: erwartet Zahlen unter {} wie 0 oder 1,0 oder keine, gefunden „{}“</translation>
    </message>
    <message>
        <source>{}: expected rows of {} of at most {} bytes, found {}</source>
        <translation>{}: erwartet Zeilen von {} mit höchstens {} Byte, gefunden {}</translation>
    </message>
    <message>
        <source>{}: {}() before bind()</source>
        <translation>{}: {}() vor bind()</translation>
    </message>
    <message>
        <source>{}: expected tokens below {}, the device answered token {}</source>
        <translation>{}: erwartet Tokens unter {}, das Gerät antwortete mit Token {}</translation>
    </message>
    <message>
        <source>{}: expected a number of bytes, found none</source>
        <translation>{}: erwartet eine Anzahl von Bytes, keine gefunden</translation>
    </message>
    <message>
        <source>{}: sizes beyond 64 bits</source>
        <translation>{}: Größen jenseits von 64 Bit</translation>
    </message>
    <message>
        <source>The system&apos;s figures disagree: {}.</source>
        <translation>Die Angaben des Systems widersprechen sich: {}.</translation>
    </message>
    <message>
        <source>the driver offers none of the device&apos;s {}</source>
        <translation>der Treiber bietet nichts von den {} des Geräts an</translation>
    </message>
    <message>
        <source>the driver counts {} for this program on a device with {}</source>
        <translation>der Treiber zählt {} für dieses Programm auf einem Gerät mit {}</translation>
    </message>
    <message>
        <source>Nothing tells what this program holds of it: its driver&apos;s share is taken for the {} by which more was in use once it was opened.</source>
        <translation>Nichts sagt, was dieses Programm davon belegt: Als Anteil seines Treibers gelten die {}, um die nach dem Öffnen mehr belegt war.</translation>
    </message>
    <message>
        <source>the driver counts {} for this program, which holds {}</source>
        <translation>der Treiber zählt {} für dieses Programm, und es belegt {}</translation>
    </message>
    <message>
        <source>{}.</source>
        <translation>{}.</translation>
    </message>
    <message>
        <source>{} counts {} in use of {}</source>
        <translation>{} zählt {} als belegt von {}</translation>
    </message>
    <message>
        <source>{} tells of a device with {}, its driver of one with {}</source>
        <translation>{} meldet ein Gerät mit {}, der Treiber eines mit {}</translation>
    </message>
    <message>
        <source>{} counts {} in use, of which this program alone holds {}</source>
        <translation>{} zählt {} als belegt, wovon allein dieses Programm {} hält</translation>
    </message>
    <message>
        <source>The driver tells what this program may use, not what others hold.</source>
        <translation>Der Treiber sagt, was dieses Programm nutzen darf, nicht, was andere belegen.</translation>
    </message>
    <message>
        <source>Only programs of this user are seen; others may hold more.</source>
        <translation>Nur Programme dieses Benutzers sind zu sehen; andere können mehr belegen.</translation>
    </message>
    <message>
        <source>Nothing tells what other programs hold of it: all that is not Headroom&apos;s is taken for free.</source>
        <translation>Nichts sagt, was andere Programme davon belegen: Alles, was nicht Headroom gehört, gilt als frei.</translation>
    </message>
    <message>
        <source>{} counts {} in use of {}, and this program holds {}</source>
        <translation>{} zählt {} als belegt von {}, und dieses Programm belegt {}</translation>
    </message>
    <message>
        <source>{} is not on this machine</source>
        <translation>{} gibt es auf diesem Rechner nicht</translation>
    </message>
    <message>
        <source>{} is older than the functions that are asked for</source>
        <translation>{} ist älter als die verlangten Funktionen</translation>
    </message>
    <message>
        <source>it could not be opened (error {})</source>
        <translation>es ließ sich nicht öffnen (Fehler {})</translation>
    </message>
    <message>
        <source>NVML tells nothing of {} (error {})</source>
        <translation>NVML meldet nichts über {} (Fehler {})</translation>
    </message>
    <message>
        <source>NVML: {} is divided into instances (MIG), and what is in use is told of all together</source>
        <translation>NVML: {} ist in Instanzen geteilt (MIG), und die Belegung wird nur für alle zusammen gemeldet</translation>
    </message>
    <message>
        <source>NVML: expected reserved and free memory within the total of {}, found {} and {}</source>
        <translation>NVML: erwartet reservierter und freier Speicher innerhalb der gesamten {}, gefunden {} und {}</translation>
    </message>
    <message>
        <source>host memory: asked for {} ({} bytes), refused by the system: {}</source>
        <translation>Arbeitsspeicher: verlangt {} ({} Byte), vom System abgelehnt: {}</translation>
    </message>
    <message>
        <source>{}: expected MemTotal and MemAvailable, found neither or one</source>
        <translation>{}: erwartet MemTotal und MemAvailable, gefunden keines oder nur eines</translation>
    </message>
    <message>
        <source>{}: asked for {} ({} bytes), refused by the system: {}</source>
        <translation>{}: verlangt {} ({} Byte), vom System abgelehnt: {}</translation>
    </message>
    <message>
        <source>{}: asked for {} ({} bytes), free {} ({} bytes), refused by the device</source>
        <translation>{}: verlangt {} ({} Byte), frei {} ({} Byte), vom Gerät abgelehnt</translation>
    </message>
    <message>
        <source>{}: asked for {} ({} bytes) at once, expected at most {} ({} bytes)</source>
        <translation>{}: verlangt {} ({} Byte) auf einmal, erwartet höchstens {} ({} Byte)</translation>
    </message>
    <message>
        <source>copying weights failed</source>
        <translation>Kopieren der Gewichte fehlgeschlagen</translation>
    </message>
    <message>
        <source>starting a subgraph failed</source>
        <translation>Starten eines Teilgraphen fehlgeschlagen</translation>
    </message>
    <message>
        <source>copying {} to the host failed</source>
        <translation>Kopieren von {} in den Arbeitsspeicher fehlgeschlagen</translation>
    </message>
    <message>
        <source>copying {} from the host failed</source>
        <translation>Kopieren von {} aus dem Arbeitsspeicher fehlgeschlagen</translation>
    </message>
    <message>
        <source>finding the likeliest tokens failed</source>
        <translation>Finden der wahrscheinlichsten Tokens fehlgeschlagen</translation>
    </message>
    <message>
        <source>{}: {}</source>
        <translation>{}: {}</translation>
    </message>
    <message>
        <source>{}: expected a reference device, found one of kind {}</source>
        <translation>{}: erwartet ein Referenzgerät, gefunden eines der Art {}</translation>
    </message>
    <message>
        <source>{}: expected sizes such as 512MiB or 512MiB,256MiB, found &quot;{}&quot;</source>
        <translation>{}: erwartet Größen wie 512MiB oder 512MiB,256MiB, gefunden „{}“</translation>
    </message>
    <message>
        <source>{} is not in this machine: it can be planned for, not loaded on</source>
        <translation>{} ist nicht in diesem Rechner: Dafür lässt sich planen, aber nichts darauf laden</translation>
    </message>
    <message>
        <source>{}: this build has no backend for {}</source>
        <translation>{}: Dieses Programm hat kein Backend für {}</translation>
    </message>
    <message>
        <source>{}; Vulkan is used</source>
        <translation>{}; genutzt wird Vulkan</translation>
    </message>
    <message>
        <source>{}: the device was lost while {}</source>
        <translation>{}: Das Gerät ging verloren beim {}</translation>
    </message>
    <message>
        <source>{}: {} failed: {} ({})</source>
        <translation>{}: {} fehlgeschlagen: {} ({})</translation>
    </message>
    <message>
        <source>{}: expected a driver that takes {} bytes for a buffer of this size, found {}</source>
        <translation>{}: erwartet ein Treiber, der für einen Puffer dieser Größe {} Byte braucht, gefunden {}</translation>
    </message>
    <message>
        <source>{}: expected the Vulkan device {}, found {} devices{}</source>
        <translation>{}: erwartet das Vulkan-Gerät {}, gefunden {} Geräte{}</translation>
    </message>
    <message>
        <source>{}: expected a vocabulary of at most {} tokens, found {}</source>
        <translation>{}: erwartet ein Vokabular von höchstens {} Tokens, gefunden {}</translation>
    </message>
    <message>
        <source>expected Vulkan 1.2, found {}.{}</source>
        <translation>erwartet Vulkan 1.2, gefunden {}.{}</translation>
    </message>
    <message>
        <source>expected timeline semaphores, found none</source>
        <translation>erwartet Timeline-Semaphoren, keine gefunden</translation>
    </message>
    <message>
        <source>expected a queue that computes, found none</source>
        <translation>erwartet eine rechnende Warteschlange, keine gefunden</translation>
    </message>
    <message>
        <source>expected memory of the device&apos;s own, found none</source>
        <translation>erwartet eigener Speicher des Geräts, keiner gefunden</translation>
    </message>
    <message>
        <source>push constants</source>
        <translation>Push-Konstanten</translation>
    </message>
    <message>
        <source>workgroups</source>
        <translation>Arbeitsgruppen</translation>
    </message>
    <message>
        <source>shared memory</source>
        <translation>gemeinsamer Speicher</translation>
    </message>
    <message>
        <source>storage buffers</source>
        <translation>Speicherpuffer</translation>
    </message>
    <message>
        <source>expected {} of at least {}, found {}</source>
        <translation>erwartet {} von mindestens {}, gefunden {}</translation>
    </message>
    <message>
        <source>Vulkan: this machine has no loader (libvulkan.so.1)</source>
        <translation>Vulkan: Dieser Rechner hat keinen Loader (libvulkan.so.1)</translation>
    </message>
    <message>
        <source>Vulkan: this machine has a loader and no driver</source>
        <translation>Vulkan: Dieser Rechner hat einen Loader und keinen Treiber</translation>
    </message>
    <message>
        <source>Vulkan: opening the drivers failed: {}</source>
        <translation>Vulkan: Das Öffnen der Treiber schlug fehl: {}</translation>
    </message>
    <message>
        <source>Vulkan: the loader finds no device</source>
        <translation>Vulkan: Der Loader findet kein Gerät</translation>
    </message>
    <message>
        <source>Vulkan: {}: {}</source>
        <translation>Vulkan: {}: {}</translation>
    </message>
    <message>
        <source>Vulkan: {} computes on the CPU, where our own kernels are faster</source>
        <translation>Vulkan: {} rechnet auf der CPU, wo unsere eigenen Kernel schneller sind</translation>
    </message>
    <message>
        <source>{}: expected 0 to {}, found &quot;{}&quot;</source>
        <translation>{}: erwartet 0 bis {}, gefunden „{}“</translation>
    </message>
    <message>
        <source>{}: expected steps of at most {} rows (n_batch and n_slots), found {}</source>
        <translation>{}: erwartet Schritte von höchstens {} Zeilen (n_batch und n_slots), gefunden {}</translation>
    </message>
    <message>
        <source>{}: this driver leaves out what a loop does beyond {} rounds: expected n_ctx of at most {}, found {}</source>
        <translation>{}: Dieser Treiber lässt aus, was eine Schleife nach {} Runden tut: erwartet n_ctx von höchstens {}, gefunden {}</translation>
    </message>
    <message>
        <source>its driver has no instruction for products of int8</source>
        <translation>der Treiber hat keinen Befehl für int8-Produkte</translation>
    </message>
    <message>
        <source>its driver has no products of int8</source>
        <translation>der Treiber hat keine int8-Produkte</translation>
    </message>
    <message>
        <source>quantized weights are multiplied in f32: {}.</source>
        <translation>quantisierte Gewichte werden in f32 multipliziert: {}.</translation>
    </message>
    <message>
        <source>quantized weights are multiplied in f32 with few rows, in f16 with many: {}.</source>
        <translation>quantisierte Gewichte werden bei wenigen Zeilen in f32, bei vielen in f16 multipliziert: {}.</translation>
    </message>
    <message>
        <source>HEADROOM_ISA={}: this machine cannot run it; its best is {}</source>
        <translation>HEADROOM_ISA={}: Das kann dieser Rechner nicht; sein bester ist {}</translation>
    </message>
    <message>
        <source>HEADROOM_ISA={}: expected one of {}</source>
        <translation>HEADROOM_ISA={}: erwartet einer von {}</translation>
    </message>
    <message>
        <source>{} and {}</source>
        <translation>{} und {}</translation>
    </message>
    <message>
        <source>an object</source>
        <translation>ein Objekt</translation>
    </message>
    <message>
        <source>a known key</source>
        <translation>ein bekannter Schlüssel</translation>
    </message>
    <message>
        <source>true or false</source>
        <translation>wahr oder falsch</translation>
    </message>
    <message>
        <source>a whole number from 1 to {}</source>
        <translation>eine ganze Zahl von 1 bis {}</translation>
    </message>
    <message>
        <source>a number above 0 and at most {}</source>
        <translation>eine Zahl über 0 und höchstens {}</translation>
    </message>
    <message>
        <source>{}: {}: expected {}, found {}</source>
        <translation>{}: {}: erwartet {}, gefunden {}</translation>
    </message>
    <message>
        <source>a value</source>
        <translation>ein Wert</translation>
    </message>
    <message>
        <source>cuda, vulkan or metal</source>
        <translation>cuda, vulkan oder metal</translation>
    </message>
    <message>
        <source>at most memory_mib ({})</source>
        <translation>höchstens memory_mib ({})</translation>
    </message>
    <message>
        <source>device catalogue: expected JSON, found text that is not</source>
        <translation>Gerätekatalog: erwartet JSON, gefunden Text, der keines ist</translation>
    </message>
    <message>
        <source>device catalogue: devices: expected an array, found none</source>
        <translation>Gerätekatalog: devices: erwartet ein Array, keines gefunden</translation>
    </message>
    <message>
        <source>device catalogue, row {}: name: expected one that no row before has, found {}</source>
        <translation>Gerätekatalog, Zeile {}: name: erwartet einer, den keine Zeile davor hat, gefunden {}</translation>
    </message>
    <message>
        <source>{}: expected a device catalogue, found no readable file</source>
        <translation>{}: erwartet ein Gerätekatalog, keine lesbare Datei gefunden</translation>
    </message>
    <message>
        <source>device: expected a device of this machine or of the catalogue, found &quot;{}&quot;; the nearest are {}</source>
        <translation>device: erwartet ein Gerät dieses Rechners oder des Katalogs, gefunden „{}“; am nächsten kommen {}</translation>
    </message>
    <message>
        <source>device: expected the name of one device, found &quot;{}&quot;, which may be {} and {} more</source>
        <translation>device: erwartet der Name eines Geräts, gefunden „{}“; das kann {} sein und {} weitere</translation>
    </message>
    <message>
        <source>device: expected the name of one device, found &quot;{}&quot;, which may be {}</source>
        <translation>device: erwartet der Name eines Geräts, gefunden „{}“; das kann {} sein</translation>
    </message>
    <message>
        <source>{}: not a GGUF file: begins with {}, expected &apos;GGUF&apos;; it looks like {}</source>
        <translation>{}: keine GGUF-Datei: beginnt mit {}, erwartet „GGUF“; sie sieht aus wie {}</translation>
    </message>
    <message>
        <source>GGUF header</source>
        <translation>GGUF-Header</translation>
    </message>
    <message>
        <source>the magic</source>
        <translation>die Kennung</translation>
    </message>
    <message>
        <source>the version</source>
        <translation>die Version</translation>
    </message>
    <message>
        <source>version 1 is too old, expected {} or {}: convert the model again</source>
        <translation>Version 1 ist zu alt, erwartet {} oder {}: Das Modell neu konvertieren</translation>
    </message>
    <message>
        <source>version {} in big-endian byte order; only little-endian files can be read</source>
        <translation>Version {} in Big-Endian-Bytefolge; nur Little-Endian-Dateien sind lesbar</translation>
    </message>
    <message>
        <source>version {}, expected {} or {}</source>
        <translation>Version {}, erwartet {} oder {}</translation>
    </message>
    <message>
        <source>the tensor count</source>
        <translation>die Anzahl der Tensoren</translation>
    </message>
    <message>
        <source>the metadata count</source>
        <translation>die Anzahl der Metadaten</translation>
    </message>
    <message>
        <source>metadata entries</source>
        <translation>Metadaten-Einträge</translation>
    </message>
    <message>
        <source>tensors</source>
        <translation>Tensoren</translation>
    </message>
    <message>
        <source>claims {} {}, the {} bytes that follow hold at most {}</source>
        <translation>gibt {} {} an, in die folgenden {} Byte passen höchstens {}</translation>
    </message>
    <message>
        <source>claims {} {}, at most {} are accepted</source>
        <translation>gibt {} {} an, höchstens {} sind zulässig</translation>
    </message>
    <message>
        <source>metadata {} of {}</source>
        <translation>Metadatum {} von {}</translation>
    </message>
    <message>
        <source>the key</source>
        <translation>der Schlüssel</translation>
    </message>
    <message>
        <source>metadata {}</source>
        <translation>Metadatum {}</translation>
    </message>
    <message>
        <source>the value type</source>
        <translation>der Werttyp</translation>
    </message>
    <message>
        <source>the key stands twice in the file</source>
        <translation>der Schlüssel steht zweimal in der Datei</translation>
    </message>
    <message>
        <source>the value</source>
        <translation>der Wert</translation>
    </message>
    <message>
        <source>value type {} is not known, expected 0 to 12</source>
        <translation>Werttyp {} ist unbekannt, erwartet 0 bis 12</translation>
    </message>
    <message>
        <source>the element type</source>
        <translation>der Elementtyp</translation>
    </message>
    <message>
        <source>the element count</source>
        <translation>die Anzahl der Elemente</translation>
    </message>
    <message>
        <source>claims an array of {} elements, {} bytes are left in the header</source>
        <translation>gibt ein Array von {} Elementen an, im Header sind noch {} Byte übrig</translation>
    </message>
    <message>
        <source>the metadata arrays have {} or more elements together, at most {} are accepted</source>
        <translation>die Arrays der Metadaten haben zusammen {} oder mehr Elemente, höchstens {} sind zulässig</translation>
    </message>
    <message>
        <source>an array of arrays</source>
        <translation>ein Array aus Arrays</translation>
    </message>
    <message>
        <source>element type {} is not known, expected 0 to 12</source>
        <translation>Elementtyp {} ist unbekannt, erwartet 0 bis 12</translation>
    </message>
    <message>
        <source>metadata &apos;general.alignment&apos;</source>
        <translation>Metadatum „general.alignment“</translation>
    </message>
    <message>
        <source>expected an unsigned integer, found {}</source>
        <translation>erwartet eine vorzeichenlose ganze Zahl, gefunden {}</translation>
    </message>
    <message>
        <source>expected a power of two up to {}, found {}</source>
        <translation>erwartet eine Zweierpotenz bis {}, gefunden {}</translation>
    </message>
    <message>
        <source>tensor {} of {}</source>
        <translation>Tensor {} von {}</translation>
    </message>
    <message>
        <source>the name</source>
        <translation>der Name</translation>
    </message>
    <message>
        <source>tensor {}</source>
        <translation>Tensor {}</translation>
    </message>
    <message>
        <source>the number of dimensions</source>
        <translation>die Anzahl der Dimensionen</translation>
    </message>
    <message>
        <source>{} dimensions, at most {} are possible</source>
        <translation>{} Dimensionen, höchstens {} sind möglich</translation>
    </message>
    <message>
        <source>a dimension</source>
        <translation>eine Dimension</translation>
    </message>
    <message>
        <source>the type</source>
        <translation>der Typ</translation>
    </message>
    <message>
        <source>the offset</source>
        <translation>der Offset</translation>
    </message>
    <message>
        <source>type {} is not known to this version</source>
        <translation>Typ {} ist dieser Version unbekannt</translation>
    </message>
    <message>
        <source>type {} was withdrawn from the format: convert the model again</source>
        <translation>Typ {} wurde aus dem Format entfernt: Das Modell neu konvertieren</translation>
    </message>
    <message>
        <source>a dimension is 0</source>
        <translation>eine Dimension ist 0</translation>
    </message>
    <message>
        <source>shape ({}) has more elements than 63 bits can count</source>
        <translation>die Form ({}) hat mehr Elemente, als 63 Bit zählen können</translation>
    </message>
    <message>
        <source>rows of {} elements are no multiple of the {} in a block of {}</source>
        <translation>Zeilen von {} Elementen sind kein Vielfaches der {} in einem Block von {}</translation>
    </message>
    <message>
        <source>shape ({}) takes more bytes than 64 bits can count</source>
        <translation>die Form ({}) braucht mehr Byte, als 64 Bit zählen können</translation>
    </message>
    <message>
        <source>offset {} is no multiple of the alignment {}</source>
        <translation>Offset {} ist kein Vielfaches der Ausrichtung {}</translation>
    </message>
    <message>
        <source>{} bytes at offset {} end beyond the file of {} bytes (an unfinished download?)</source>
        <translation>{} Byte bei Offset {} enden hinter der Datei mit {} Byte (ein unvollständiger Download?)</translation>
    </message>
    <message>
        <source>its data at byte {} overlaps tensor {}, which ends at byte {}</source>
        <translation>seine Daten bei Byte {} überlappen Tensor {}, der bei Byte {} endet</translation>
    </message>
    <message>
        <source>{}: cannot be written: {}</source>
        <translation>{}: kann nicht geschrieben werden: {}</translation>
    </message>
    <message>
        <source>{}: {}: {}</source>
        <translation>{}: {}: {}</translation>
    </message>
    <message>
        <source>the largest header that is accepted ends at byte {}</source>
        <translation>der größte zulässige Header endet bei Byte {}</translation>
    </message>
    <message>
        <source>the file ends at byte {}</source>
        <translation>die Datei endet bei Byte {}</translation>
    </message>
    <message>
        <source>{} needs {} bytes at byte {}, but {}</source>
        <translation>{} braucht {} Byte ab Byte {}, aber {}</translation>
    </message>
    <message>
        <source>{} claims {} bytes, {} are left in the header</source>
        <translation>{} gibt {} Byte an, im Header sind noch {} übrig</translation>
    </message>
    <message>
        <source>it does not begin with a header of GGUF</source>
        <translation>sie beginnt nicht mit einem GGUF-Header</translation>
    </message>
    <message>
        <source>a directory</source>
        <translation>ein Ordner</translation>
    </message>
    <message>
        <source>a device</source>
        <translation>ein Gerät</translation>
    </message>
    <message>
        <source>a pipe</source>
        <translation>eine Pipe</translation>
    </message>
    <message>
        <source>a socket</source>
        <translation>ein Socket</translation>
    </message>
    <message>
        <source>not a regular file</source>
        <translation>keine normale Datei</translation>
    </message>
    <message>
        <source>{}: cannot be opened: {}</source>
        <translation>{}: kann nicht geöffnet werden: {}</translation>
    </message>
    <message>
        <source>{}: cannot be examined: {}</source>
        <translation>{}: kann nicht untersucht werden: {}</translation>
    </message>
    <message>
        <source>{}: expected a file, found {}</source>
        <translation>{}: erwartet eine Datei, gefunden {}</translation>
    </message>
    <message>
        <source>{}: the file is empty</source>
        <translation>{}: Die Datei ist leer</translation>
    </message>
    <message>
        <source>{}: {} bytes at {} are beyond any file</source>
        <translation>{}: {} Byte bei {} liegen jenseits jeder Datei</translation>
    </message>
    <message>
        <source>{}: {} bytes at {} are beyond its {} bytes</source>
        <translation>{}: {} Byte bei {} liegen jenseits ihrer {} Byte</translation>
    </message>
    <message>
        <source>{}: reading at byte {}: {}</source>
        <translation>{}: Lesen bei Byte {}: {}</translation>
    </message>
    <message>
        <source>{}: ends at byte {}, {} more bytes expected (it had {} bytes when opened)</source>
        <translation>{}: endet bei Byte {}, {} Byte mehr erwartet (beim Öffnen waren es {} Byte)</translation>
    </message>
    <message>
        <source>{}: metadata &apos;{}&apos;: expected an unsigned integer, found {}</source>
        <translation>{}: Metadatum „{}“: erwartet eine vorzeichenlose ganze Zahl, gefunden {}</translation>
    </message>
    <message>
        <source>{}: metadata &apos;split.no&apos; is {}, expected less than &apos;split.count&apos;, {}</source>
        <translation>{}: Metadatum „split.no“ ist {}, erwartet weniger als „split.count“, {}</translation>
    </message>
    <message>
        <source>{}: tensor {} stands twice in the model</source>
        <translation>{}: Tensor {} steht zweimal im Modell</translation>
    </message>
    <message>
        <source>{}: metadata &apos;split.tensors.count&apos; is {}, but the {} parts hold {} tensors</source>
        <translation>{}: Metadatum „split.tensors.count“ ist {}, aber die {} Teile enthalten {} Tensoren</translation>
    </message>
    <message>
        <source>{}: holds part {} of {} of a model, expected a name ending in &apos;{}&apos;</source>
        <translation>{}: enthält Teil {} von {} eines Modells, erwartet ein Name, der auf „{}“ endet</translation>
    </message>
    <message>
        <source>{}: part {} of {} is missing: expected {}</source>
        <translation>{}: Teil {} von {} fehlt: erwartet {}</translation>
    </message>
    <message>
        <source>{}: expected part {} of {}, found part {} of {} by its metadata</source>
        <translation>{}: erwartet Teil {} von {}, laut Metadaten gefunden Teil {} von {}</translation>
    </message>
    <message>
        <source>an unsigned integer</source>
        <translation>eine vorzeichenlose ganze Zahl</translation>
    </message>
    <message>
        <source>an integer</source>
        <translation>eine ganze Zahl</translation>
    </message>
    <message>
        <source>a number</source>
        <translation>eine Zahl</translation>
    </message>
    <message>
        <source>a boolean</source>
        <translation>ein boolescher Wert</translation>
    </message>
    <message>
        <source>a string</source>
        <translation>eine Zeichenkette</translation>
    </message>
    <message>
        <source>an array of unsigned integers</source>
        <translation>ein Array von vorzeichenlosen ganzen Zahlen</translation>
    </message>
    <message>
        <source>an array of integers</source>
        <translation>ein Array von ganzen Zahlen</translation>
    </message>
    <message>
        <source>an array of numbers</source>
        <translation>ein Array von Zahlen</translation>
    </message>
    <message>
        <source>an array of booleans</source>
        <translation>ein Array von booleschen Werten</translation>
    </message>
    <message>
        <source>an array of strings</source>
        <translation>ein Array von Zeichenketten</translation>
    </message>
    <message>
        <source>metadata {}: expected {}, found {}</source>
        <translation>Metadatum {}: erwartet {}, gefunden {}</translation>
    </message>
    <message>
        <source>{}</source>
        <translation>{}</translation>
    </message>
    <message>
        <source>a number with a fraction</source>
        <translation>eine Kommazahl</translation>
    </message>
    <message>
        <source>{}: cannot be written</source>
        <translation>{}: kann nicht geschrieben werden</translation>
    </message>
    <message>
        <source>4-bit floats with an 8-bit scale for every 16 of them and one for the tensor</source>
        <translation>4-Bit-Gleitkommazahlen mit einer 8-Bit-Skala für je 16 davon und einer für den Tensor</translation>
    </message>
    <message>
        <source>caches that are read from other layers</source>
        <translation>Caches, die aus anderen Schichten gelesen werden</translation>
    </message>
    <message>
        <source>metadata &apos;{}&apos; is missing</source>
        <translation>Metadatum „{}“ fehlt</translation>
    </message>
    <message>
        <source>metadata &apos;{}&apos; is {}, expected {} to {}</source>
        <translation>Metadatum „{}“ ist {}, erwartet {} bis {}</translation>
    </message>
    <message>
        <source>metadata &apos;{}&apos; has {} entries, expected one for each of {} layers</source>
        <translation>Metadatum „{}“ hat {} Einträge, erwartet einer für jede von {} Schichten</translation>
    </message>
    <message>
        <source>metadata &apos;{}&apos; is not a finite number</source>
        <translation>Metadatum „{}“ ist keine endliche Zahl</translation>
    </message>
    <message>
        <source>metadata &apos;{}&apos; is no flag, expected true or false</source>
        <translation>Metadatum „{}“ ist kein Schalter, erwartet wahr oder falsch</translation>
    </message>
    <message>
        <source>tensor &apos;{}&apos; is missing</source>
        <translation>Tensor „{}“ fehlt</translation>
    </message>
    <message>
        <source>tensor &apos;{}&apos; has shape ({}), expected ({}) from the metadata</source>
        <translation>Tensor „{}“ hat die Form ({}), laut Metadaten erwartet ({})</translation>
    </message>
    <message>
        <source>tensor &apos;{}&apos; is {}, which this version cannot compute with; supported: {}</source>
        <translation>Tensor „{}“ ist {}; damit kann diese Version nicht rechnen; unterstützt: {}</translation>
    </message>
    <message numerus="yes">
        <source>%n tensor(s) of {}, {}</source>
        <translation>
            <numerusform>%n Tensor ({}), {}</numerusform>
            <numerusform>%n Tensoren ({}), {}</numerusform>
        </translation>
    </message>
    <message>
        <source>metadata &apos;{}&apos;: expected an array of {} flags</source>
        <translation>Metadatum „{}“: erwartet ein Array von {} Schaltern</translation>
    </message>
    <message>
        <source>metadata &apos;{}&apos; is {}, which is no multiple of &apos;{}&apos;, {}</source>
        <translation>Metadatum „{}“ ist {} und kein Vielfaches von „{}“, {}</translation>
    </message>
    <message>
        <source>metadata &apos;{}&apos; is {}, expected &apos;{}&apos; times &apos;{}&apos;, {}</source>
        <translation>Metadatum „{}“ ist {}, erwartet „{}“ mal „{}“, {}</translation>
    </message>
    <message>
        <source>metadata &apos;{}&apos; is {}, expected 2 to {}</source>
        <translation>Metadatum „{}“ ist {}, erwartet 2 bis {}</translation>
    </message>
    <message>
        <source>metadata &apos;{}&apos; is {}, expected {} or {}: this version chooses experts by no other function</source>
        <translation>Metadatum „{}“ ist {}, erwartet {} oder {}: Diese Version wählt Experten mit keiner anderen Funktion</translation>
    </message>
    <message>
        <source>metadata &apos;{}&apos; is {}, expected a finite number of 0 or more</source>
        <translation>Metadatum „{}“ ist {}, erwartet eine endliche Zahl ab 0</translation>
    </message>
    <message>
        <source>metadata &apos;{}&apos; is {}, expected 0: how a mixture of experts of this architecture chooses them is not known to this version</source>
        <translation>Metadatum „{}“ ist {}, erwartet 0: Wie die Experten in dieser Architektur gewählt werden, ist dieser Version unbekannt</translation>
    </message>
    <message>
        <source>metadata &apos;{}&apos; is {}, expected at most &apos;{}&apos;, {}</source>
        <translation>Metadatum „{}“ ist {}, erwartet höchstens „{}“, {}</translation>
    </message>
    <message>
        <source>metadata &apos;{}&apos; times &apos;{}&apos; is {}, expected at most {}</source>
        <translation>Metadatum „{}“ mal „{}“ ist {}, erwartet höchstens {}</translation>
    </message>
    <message>
        <source>metadata &apos;{}&apos; is {}, expected {}, as in layers without a window</source>
        <translation>Metadatum „{}“ ist {}, erwartet {} wie in Schichten ohne Fenster</translation>
    </message>
    <message>
        <source>metadata &apos;{}&apos; is {}, expected an even number up to {}</source>
        <translation>Metadatum „{}“ ist {}, erwartet eine gerade Zahl bis {}</translation>
    </message>
    <message>
        <source>metadata &apos;{}&apos; is {}, expected {}</source>
        <translation>Metadatum „{}“ ist {}, erwartet {}</translation>
    </message>
    <message>
        <source>less than the {} layers</source>
        <translation>weniger als die {} Schichten</translation>
    </message>
    <message>
        <source>a layer with a cache that sees as much as layer {} among the first {}</source>
        <translation>eine Schicht mit Cache, die so viel sieht wie Schicht {}, unter den ersten {}</translation>
    </message>
    <message>
        <source>layer {} to have the heads of the cache of layer {}, {} of {} elements, found {} of {}</source>
        <translation>dass Schicht {} die Heads des Caches von Schicht {} hat, {} mit {} Elementen; gefunden {} mit {}</translation>
    </message>
    <message>
        <source>metadata &apos;{}&apos; is {}, expected at most {} of {} layers</source>
        <translation>Metadatum „{}“ ist {}, erwartet höchstens {} von {} Schichten</translation>
    </message>
    <message>
        <source>holds no tensors: a vocabulary alone cannot be run</source>
        <translation>enthält keine Tensoren: Ein Vokabular allein kann nicht laufen</translation>
    </message>
    <message>
        <source>metadata &apos;{}&apos; is {}, but the file holds only {} tensors</source>
        <translation>Metadatum „{}“ ist {}, aber die Datei enthält nur {} Tensoren</translation>
    </message>
    <message>
        <source>metadata &apos;{}&apos; is {}, expected 0 to 1</source>
        <translation>Metadatum „{}“ ist {}, erwartet 0 bis 1</translation>
    </message>
    <message>
        <source>layer {}: metadata &apos;{}&apos; is {}, which is no multiple of &apos;{}&apos;, {}</source>
        <translation>Schicht {}: Metadatum „{}“ ist {} und kein Vielfaches von „{}“, {}</translation>
    </message>
    <message>
        <source>tensor &apos;{}&apos; is {} of shape ({}), expected F32 of shape (1)</source>
        <translation>Tensor „{}“ ist {} der Form ({}), erwartet F32 der Form (1)</translation>
    </message>
    <message>
        <source>tensor &apos;{}&apos; holds {}, expected a finite number</source>
        <translation>Tensor „{}“ enthält {}, erwartet eine endliche Zahl</translation>
    </message>
    <message>
        <source>tensor &apos;{}&apos; has {} rows, at most {} are accepted</source>
        <translation>Tensor „{}“ hat {} Zeilen, höchstens {} sind zulässig</translation>
    </message>
    <message>
        <source>tensor &apos;{}&apos; has {} rows, but metadata &apos;tokenizer.ggml.tokens&apos; has {} tokens</source>
        <translation>Tensor „{}“ hat {} Zeilen, aber Metadatum „tokenizer.ggml.tokens“ hat {} Tokens</translation>
    </message>
    <message>
        <source>tensor &apos;{}&apos; has {} rows, but metadata &apos;{}&apos; is {}</source>
        <translation>Tensor „{}“ hat {} Zeilen, aber Metadatum „{}“ ist {}</translation>
    </message>
    <message>
        <source>The file does not say how its tokenizer splits words (tokenizer.ggml.pre is missing): a common rule is used. If the model was trained with another one, it reads some text differently and answers worse.</source>
        <translation>Die Datei sagt nicht, wie ihr Tokenizer Wörter teilt (tokenizer.ggml.pre fehlt): Eine übliche Regel wird genutzt. Wurde das Modell mit einer anderen trainiert, liest es manchen Text anders und antwortet schlechter.</translation>
    </message>
    <message>
        <source>{}: metadata &apos;general.type&apos; is {}, expected &apos;model&apos;</source>
        <translation>{}: Metadatum „general.type“ ist {}, erwartet „model“</translation>
    </message>
    <message>
        <source>{}: metadata &apos;general.architecture&apos; is missing</source>
        <translation>{}: Metadatum „general.architecture“ fehlt</translation>
    </message>
    <message>
        <source>metadata &apos;{}&apos;: RoPE scaling {} is not supported; this version has none, linear, llama3 and yarn</source>
        <translation>Metadatum „{}“: Die RoPE-Skalierung {} wird nicht unterstützt; diese Version kennt keine, linear, llama3 und yarn</translation>
    </message>
    <message>
        <source>metadata &apos;{}&apos; is {} and &apos;{}&apos; is {}, expected 0 &lt; low &lt; high</source>
        <translation>Metadatum „{}“ ist {} und „{}“ ist {}, erwartet 0 &lt; low &lt; high</translation>
    </message>
    <message>
        <source>metadata &apos;{}&apos; is {} and &apos;{}&apos; is {}, expected fast &gt; slow &gt; 0</source>
        <translation>Metadatum „{}“ ist {} und „{}“ ist {}, erwartet fast &gt; slow &gt; 0</translation>
    </message>
    <message>
        <source>metadata &apos;{}&apos; times &apos;{}&apos; is {}, expected more than 0</source>
        <translation>Metadatum „{}“ mal „{}“ ist {}, erwartet mehr als 0</translation>
    </message>
    <message>
        <source>metadata &apos;{}&apos; is {}, expected at least 1 for RoPE scaling yarn</source>
        <translation>Metadatum „{}“ ist {}, erwartet mindestens 1 bei RoPE-Skalierung yarn</translation>
    </message>
    <message>
        <source>metadata &apos;{}&apos; is {}, expected more than 1 for RoPE scaling yarn</source>
        <translation>Metadatum „{}“ ist {}, erwartet mehr als 1 bei RoPE-Skalierung yarn</translation>
    </message>
    <message>
        <source>metadata &apos;{}&apos; is {}; this version has 1 only</source>
        <translation>Metadatum „{}“ ist {}; diese Version kennt nur 1</translation>
    </message>
    <message>
        <source>metadata &apos;{}&apos; is {}, expected 0 or more</source>
        <translation>Metadatum „{}“ ist {}, erwartet 0 oder mehr</translation>
    </message>
    <message>
        <source>metadata &apos;{}&apos; is {}, expected more than 0</source>
        <translation>Metadatum „{}“ ist {}, erwartet mehr als 0</translation>
    </message>
    <message>
        <source>tensor &apos;{}&apos; is {} of shape ({}), expected F32 of shape ({})</source>
        <translation>Tensor „{}“ ist {} der Form ({}), erwartet F32 der Form ({})</translation>
    </message>
    <message>
        <source>tensor &apos;{}&apos; holds {}, expected finite numbers above 0</source>
        <translation>Tensor „{}“ enthält {}, erwartet endliche Zahlen über 0</translation>
    </message>
    <message>
        <source>metadata &apos;{}&apos; is &apos;{}&apos; beside tensor &apos;{}&apos;, expected &apos;longrope&apos; or none</source>
        <translation>Metadatum „{}“ ist „{}“ neben Tensor „{}“, erwartet „longrope“ oder keines</translation>
    </message>
    <message>
        <source>metadata &apos;{}&apos; is {}, expected sections of {} pairs together, half of &apos;{}&apos;</source>
        <translation>Metadatum „{}“ ist {}, erwartet Abschnitte von zusammen {} Paaren, der Hälfte von „{}“</translation>
    </message>
    <message>
        <source>no such list</source>
        <translation>keine solche Liste</translation>
    </message>
    <message>
        <source>metadata &apos;{}&apos; is {}, expected an even number up to the head size {}</source>
        <translation>Metadatum „{}“ ist {}, erwartet eine gerade Zahl bis zur Head-Größe {}</translation>
    </message>
    <message>
        <source>metadata &apos;{}&apos; is {}, expected the size of a head, {}, beside &apos;{}&apos;</source>
        <translation>Metadatum „{}“ ist {}, erwartet die Größe eines Heads, {}, neben „{}“</translation>
    </message>
    <message>
        <source>metadata &apos;{}&apos; is {}, which leaves numbers that 32 bits do not hold</source>
        <translation>Metadatum „{}“ ist {}; das ergibt Zahlen, die 32 Bit nicht fassen</translation>
    </message>
    <message>
        <source>metadata &apos;{}&apos; is {}: which layers of {} have a window is not supported yet</source>
        <translation>Metadatum „{}“ ist {}: Welche Schichten von {} ein Fenster haben, wird noch nicht unterstützt</translation>
    </message>
    <message>
        <source>{} billion parameters in {} of weights</source>
        <translation>{} Milliarden Parameter in {} an Gewichten</translation>
    </message>
    <message>
        <source>{} million parameters in {} of weights</source>
        <translation>{} Millionen Parameter in {} an Gewichten</translation>
    </message>
    <message>
        <source>{} thousand parameters in {} of weights</source>
        <translation>{} Tausend Parameter in {} an Gewichten</translation>
    </message>
    <message>
        <source>{}: this version cannot compute with these either.</source>
        <translation>{}: Auch damit kann diese Version nicht rechnen.</translation>
    </message>
    <message>
        <source>more than 64 bits can count</source>
        <translation>mehr, als 64 Bit zählen können</translation>
    </message>
    <message>
        <source>{} for {} tokens</source>
        <translation>{} für {} Tokens</translation>
    </message>
    <message>
        <source>{} ({})</source>
        <translation>{} ({})</translation>
    </message>
    <message>
        <source>{} for the {} tokens that it was trained with</source>
        <translation>{} für die {} Tokens, mit denen es trainiert wurde</translation>
    </message>
    <message>
        <source>What its KV cache takes cannot be told: {}.</source>
        <translation>Was der KV-Cache braucht, lässt sich nicht sagen: {}.</translation>
    </message>
    <message>
        <source>Its KV cache would take {} a token as F16: {}.</source>
        <translation>Der KV-Cache bräuchte als F16 {} je Token: {}.</translation>
    </message>
    <message>
        <source>Its KV cache would take {} a token as F16, beside {} a token in layers that keep the newest {} alone: {}.</source>
        <translation>Der KV-Cache bräuchte als F16 {} je Token, dazu {} je Token in Schichten, die nur die neuesten {} behalten: {}.</translation>
    </message>
    <message>
        <source>What its layers without a cache keep cannot be told: {}.</source>
        <translation>Was die Schichten ohne Cache behalten, lässt sich nicht sagen: {}.</translation>
    </message>
    <message>
        <source>Its layers without a cache would keep a state of {} for each request at a time.</source>
        <translation>Die Schichten ohne Cache bräuchten für jede gleichzeitige Anfrage einen Zustand von {}.</translation>
    </message>
    <message>
        <source>latent attention (MLA), one cached row of {} values for K and V that all heads share</source>
        <translation>latente Attention (MLA), eine gemeinsame Zeile von {} Werten im Cache für K und V aller Heads</translation>
    </message>
    <message>
        <source>latent attention (MLA), one cached row for K and V that all heads share</source>
        <translation>latente Attention (MLA), eine gemeinsame Zeile im Cache für K und V aller Heads</translation>
    </message>
    <message>
        <source>{}, and an indexer that chooses the positions that a token attends to</source>
        <translation>{}, und einen Indexer, der wählt, auf welche Positionen ein Token achtet</translation>
    </message>
    <message>
        <source>attention to positions that an indexer chooses, several residual streams, and embeddings of runs of tokens</source>
        <translation>Attention auf Positionen, die ein Indexer wählt, mehrere Residualströme und Embeddings von Tokenfolgen</translation>
    </message>
    <message>
        <source>attention to rows that each stand for several positions, an indexer that chooses them, and several residual streams</source>
        <translation>Attention auf Zeilen, die je für mehrere Positionen stehen, einen Indexer, der sie wählt, und mehrere Residualströme</translation>
    </message>
    <message>
        <source>Mamba2 layers, which keep a state of fixed size in the place of a KV cache, and layers that are an FFN alone</source>
        <translation>Mamba2-Schichten, die statt eines KV-Caches einen Zustand fester Größe behalten, und Schichten, die nur aus einem FFN bestehen</translation>
    </message>
    <message>
        <source>Mamba2 layers, which keep a state of fixed size in the place of a KV cache</source>
        <translation>Mamba2-Schichten, die statt eines KV-Caches einen Zustand fester Größe behalten</translation>
    </message>
    <message>
        <source>attention in chunks, of which a token sees its own alone, and experts whose input is weighed</source>
        <translation>Attention in Abschnitten, von denen ein Token nur seinen eigenen sieht, und Experten mit gewichteter Eingabe</translation>
    </message>
    <message>
        <source>It has {}.</source>
        <translation>Das Modell hat {}.</translation>
    </message>
    <message>
        <source>{}: metadata &apos;general.architecture&apos;: {} is not supported: it needs a row in arch_table, and ops if it computes something that {} do not</source>
        <translation>{}: Metadatum „general.architecture“: {} wird nicht unterstützt: Es braucht eine Zeile in arch_table, und Ops, falls es etwas rechnet, was {} nicht rechnen</translation>
    </message>
    <message>
        <source>{}: {} cannot run in this version: the architecture {} ({}) needs {}</source>
        <translation>{}: {} läuft in dieser Version nicht: Die Architektur {} ({}) braucht {}</translation>
    </message>
    <message>
        <source>images</source>
        <translation>Bilder</translation>
    </message>
    <message>
        <source>sound</source>
        <translation>Ton</translation>
    </message>
    <message>
        <source>{} or {}</source>
        <translation>{} oder {}</translation>
    </message>
    <message>
        <source>{}: holds the part of a model that reads {} (a projector), not the model itself</source>
        <translation>{}: enthält den Teil eines Modells, der {} liest (einen Projektor), nicht das Modell selbst</translation>
    </message>
    <message>
        <source>Open the model&apos;s own file instead: with text it works without this one, and this version reads no {}. This file has {}.</source>
        <translation>Öffnen Sie stattdessen die eigene Datei des Modells: Mit Text läuft es ohne diese, und {} kann diese Version nicht lesen. Diese Datei hat {}.</translation>
    </message>
    <message>
        <source>{}, {}</source>
        <translation>{}, {}</translation>
    </message>
    <message>
        <source>1 of {} tensors ({} of {}) is {}</source>
        <translation>1 von {} Tensoren ({} von {}) ist {}</translation>
    </message>
    <message>
        <source>{} of {} tensors ({} of {}) are {}</source>
        <translation>{} von {} Tensoren ({} von {}) sind {}</translation>
    </message>
    <message>
        <source>metadata &apos;{}&apos; is {}, expected less than &apos;{}&apos;, {}</source>
        <translation>Metadatum „{}“ ist {}, erwartet weniger als „{}“, {}</translation>
    </message>
    <message>
        <source>metadata &apos;{}&apos; is {} in layer {}, expected 0, {} or {}</source>
        <translation>Metadatum „{}“ ist {} in Schicht {}, erwartet 0, {} oder {}</translation>
    </message>
    <message>
        <source>its bytes are more than 64 bits can count</source>
        <translation>seine Bytes sind mehr, als 64 Bit zählen können</translation>
    </message>
    <message>
        <source>, expected {}</source>
        <translation>, erwartet {}</translation>
    </message>
    <message>
        <source>, expected {} or {}</source>
        <translation>, erwartet {} oder {}</translation>
    </message>
    <message>
        <source>metadata {} is {}{}: it changes what the model computes, and this version does not apply it</source>
        <translation>Metadatum {} ist {}{}: Es ändert, was das Modell rechnet, und diese Version wendet es nicht an</translation>
    </message>
    <message>
        <source>tensor {} has no place in a {} model here: found {} of shape ({}), which nothing would read; {}</source>
        <translation>Tensor {} hat hier in einem {}-Modell keinen Platz: gefunden {} der Form ({}), was nichts lesen würde; {}</translation>
    </message>
    <message>
        <source>expected beside the layers are {}</source>
        <translation>erwartet neben den Schichten: {}</translation>
    </message>
    <message>
        <source>expected in layer {} are {}</source>
        <translation>erwartet in Schicht {}: {}</translation>
    </message>
    <message>
        <source>expected are layers 0 to {} by metadata &apos;{}&apos;</source>
        <translation>erwartet die Schichten 0 bis {} laut Metadatum „{}“</translation>
    </message>
    <message>
        <source>{} of layer {}</source>
        <translation>{} von Schicht {}</translation>
    </message>
    <message>
        <source>; lower n_ctx or n_slots</source>
        <translation>; n_ctx oder n_slots verringern</translation>
    </message>
    <message>
        <source>; lower n_slots</source>
        <translation>; n_slots verringern</translation>
    </message>
    <message>
        <source>; lower n_checkpoints or n_slots</source>
        <translation>; n_checkpoints oder n_slots verringern</translation>
    </message>
    <message>
        <source>; lower n_logit_rows or n_slots</source>
        <translation>; n_logit_rows oder n_slots verringern</translation>
    </message>
    <message>
        <source>; lower n_batch or n_slots</source>
        <translation>; n_batch oder n_slots verringern</translation>
    </message>
    <message>
        <source>{}: {}: expected at most {} ({} bytes), {}, found {} ({} bytes){}</source>
        <translation>{}: {}: erwartet höchstens {} ({} Byte), {}, gefunden {} ({} Byte){}</translation>
    </message>
    <message>
        <source>the device&apos;s largest allocation</source>
        <translation>die größte Anforderung, die das Gerät annimmt</translation>
    </message>
    <message>
        <source>what a kernel there sees at once</source>
        <translation>was ein Kernel dort auf einmal sieht</translation>
    </message>
    <message>
        <source>A step reads {} tokens of a prompt: {} are predicted to take {} s, in steps of {} {} s. That takes {} more.</source>
        <translation>Ein Schritt liest {} Tokens eines Prompts: Für {} sind {} s vorhergesagt, in Schritten von {} dagegen {} s. Das belegt {} mehr.</translation>
    </message>
    <message>
        <source>The CPU alone is planned for: {}</source>
        <translation>Geplant ist für die CPU allein: {}</translation>
    </message>
    <message>
        <source>for {} there is no plan ({}).</source>
        <translation>für {} gibt es keinen Plan ({}).</translation>
    </message>
    <message>
        <source>a plan for {} does not fit.</source>
        <translation>ein Plan für {} passt nicht.</translation>
    </message>
    <message>
        <source>{} is planned for: for the CPU alone it does not fit.</source>
        <translation>Geplant ist für {}: Für die CPU allein passt es nicht.</translation>
    </message>
    <message>
        <source>{} is planned for: {}, on the CPU alone {}.</source>
        <translation>Geplant ist für {}: {}, auf der CPU allein {}.</translation>
    </message>
    <message>
        <source>{}, with {} {}.</source>
        <translation>{}, mit {} {}.</translation>
    </message>
    <message>
        <source>{} shares its memory and was not measured yet.</source>
        <translation>{} teilt den Speicher mit der CPU und wurde noch nicht gemessen.</translation>
    </message>
    <message>
        <source>n_ctx {} with n_slots {} and n_batch {}: expected a plan of {} below 2^64 bytes, found one beyond</source>
        <translation>n_ctx {} mit n_slots {} und n_batch {}: erwartet ein Plan von {} unter 2^64 Byte, gefunden einer darüber</translation>
    </message>
    <message>
        <source>frees {}</source>
        <translation>gibt {} frei</translation>
    </message>
    <message>
        <source>{} ({} % slower)</source>
        <translation>{} ({} % langsamer)</translation>
    </message>
    <message>
        <source>batch {}</source>
        <translation>Batch {}</translation>
    </message>
    <message>
        <source>{} (the longest that fits)</source>
        <translation>{} (der längste passende)</translation>
    </message>
    <message numerus="yes">
        <source>FFN of %n layer(s) on the CPU</source>
        <translation>
            <numerusform>FFN von %n Schicht auf die CPU</numerusform>
            <numerusform>FFN von %n Schichten auf die CPU</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n layer(s) to CPU</source>
        <translation>
            <numerusform>%n Schicht zur CPU</numerusform>
            <numerusform>%n Schichten zur CPU</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n layer(s) to GPUs</source>
        <translation>
            <numerusform>%n Schicht zu den GPUs</numerusform>
            <numerusform>%n Schichten zu den GPUs</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n layer(s) to GPU</source>
        <translation>
            <numerusform>%n Schicht zur GPU</numerusform>
            <numerusform>%n Schichten zur GPU</numerusform>
        </translation>
    </message>
    <message>
        <source>keep {} free on {} instead of {}</source>
        <translation>{} auf {} frei halten statt {}</translation>
    </message>
    <message>
        <source>keep {} free instead of {}</source>
        <translation>{} frei halten statt {}</translation>
    </message>
    <message>
        <source>use up to {} on {} instead of {}</source>
        <translation>bis zu {} auf {} nutzen statt {}</translation>
    </message>
    <message>
        <source>use up to {} instead of {}</source>
        <translation>bis zu {} nutzen statt {}</translation>
    </message>
    <message>
        <source>{} tensors x {}</source>
        <translation>{} Tensoren × {}</translation>
    </message>
    <message>
        <source>{} layers x {}</source>
        <translation>{} Schichten × {}</translation>
    </message>
    <message>
        <source>{} elements x {} bytes</source>
        <translation>{} Elemente × {} Byte</translation>
    </message>
    <message>
        <source>{} blocks x {} bytes</source>
        <translation>{} Blöcke × {} Byte</translation>
    </message>
    <message>
        <source>({} + {} bytes of scale)</source>
        <translation>({} + {} Byte Skala)</translation>
    </message>
    <message>
        <source>{} bytes</source>
        <translation>{} Byte</translation>
    </message>
    <message>
        <source>{} + {}</source>
        <translation>{} + {}</translation>
    </message>
    <message>
        <source>{} bytes of alignment</source>
        <translation>{} Byte Ausrichtung</translation>
    </message>
    <message>
        <source>{} units x {} bytes</source>
        <translation>{} Einheiten × {} Byte</translation>
    </message>
    <message>
        <source>{} rows x {}</source>
        <translation>{} Zeilen × {}</translation>
    </message>
    <message>
        <source>{} experts x {}</source>
        <translation>{} Experten × {}</translation>
    </message>
    <message>
        <source>{}, {} ({} rows in panels of {})</source>
        <translation>{}, {} ({} Zeilen in Streifen von {})</translation>
    </message>
    <message>
        <source>KV cache, keys, {}</source>
        <translation>KV-Cache, Keys, {}</translation>
    </message>
    <message>
        <source>KV cache, values, {}</source>
        <translation>KV-Cache, Values, {}</translation>
    </message>
    <message>
        <source>KV cache, exact keys, {}</source>
        <translation>KV-Cache, exakte Keys, {}</translation>
    </message>
    <message>
        <source>KV cache, exact values, {}</source>
        <translation>KV-Cache, exakte Values, {}</translation>
    </message>
    <message>
        <source>{}, layers with a window of {}</source>
        <translation>{}, Schichten mit einem Fenster von {}</translation>
    </message>
    <message>
        <source>{} positions</source>
        <translation>{} Positionen</translation>
    </message>
    <message>
        <source>({} first + {} newest positions)</source>
        <translation>({} erste + {} neueste Positionen)</translation>
    </message>
    <message>
        <source>{} newest positions</source>
        <translation>{} neueste Positionen</translation>
    </message>
    <message>
        <source>{} slots x {} x {} KV heads x {}</source>
        <translation>{} Slots × {} × {} KV-Heads × {}</translation>
    </message>
    <message>
        <source>{} {} rows x {} elements x {} bytes</source>
        <translation>{} {} Zeilen × {} Elemente × {} Byte</translation>
    </message>
    <message>
        <source>{} + {} bytes of alignment</source>
        <translation>{} + {} Byte Ausrichtung</translation>
    </message>
    <message>
        <source>{} bytes of the kernels&apos; rule</source>
        <translation>{} Byte nach der Regel der Kernel</translation>
    </message>
    <message>
        <source>{} bytes of all threads together + {} threads x {} bytes</source>
        <translation>{} Byte aller Threads zusammen + {} Threads × {} Byte</translation>
    </message>
    <message>
        <source>{} rows x {} channels</source>
        <translation>{} Zeilen × {} Kanäle</translation>
    </message>
    <message>
        <source>{} value heads x {} x {} elements</source>
        <translation>{} Value-Heads × {} × {} Elemente</translation>
    </message>
    <message>
        <source>State of recurrent layers, convolution</source>
        <translation>Zustand rekurrenter Schichten, Faltung</translation>
    </message>
    <message>
        <source>State of recurrent layers, matrices</source>
        <translation>Zustand rekurrenter Schichten, Matrizen</translation>
    </message>
    <message>
        <source>{} slots x {} x {} bytes</source>
        <translation>{} Slots × {} × {} Byte</translation>
    </message>
    <message>
        <source>Checkpoints of k</source>
        <translation>Checkpoints von K</translation>
    </message>
    <message>
        <source>Checkpoints of v</source>
        <translation>Checkpoints von V</translation>
    </message>
    <message>
        <source>Checkpoints of k exact</source>
        <translation>Checkpoints von K, exakt</translation>
    </message>
    <message>
        <source>Checkpoints of v exact</source>
        <translation>Checkpoints von V, exakt</translation>
    </message>
    <message>
        <source>Checkpoints of convolution state</source>
        <translation>Checkpoints des Faltungszustands</translation>
    </message>
    <message>
        <source>Checkpoints of matrix state</source>
        <translation>Checkpoints des Matrizenzustands</translation>
    </message>
    <message>
        <source>{} slots x {} checkpoints x {} bytes</source>
        <translation>{} Slots × {} Checkpoints × {} Byte</translation>
    </message>
    <message>
        <source>staging, for what crosses between devices</source>
        <translation>Staging, für den Austausch zwischen Geräten</translation>
    </message>
    <message>
        <source>{} bytes of a step&apos;s rows + {} bytes of logits</source>
        <translation>{} Byte der Zeilen eines Schritts + {} Byte Logits</translation>
    </message>
    <message>
        <source>scratch</source>
        <translation>Arbeitsbereich</translation>
    </message>
    <message>
        <source>{}, of one layer at a time</source>
        <translation>{}, je eine Schicht</translation>
    </message>
    <message>
        <source>{} bytes of the largest layer</source>
        <translation>{} Byte der größten Schicht</translation>
    </message>
    <message>
        <source>activations</source>
        <translation>Aktivierungen</translation>
    </message>
    <message>
        <source>logits</source>
        <translation>Logits</translation>
    </message>
    <message>
        <source>{} rows x {} tokens x {} bytes</source>
        <translation>{} Zeilen × {} Tokens × {} Byte</translation>
    </message>
    <message>
        <source>the likeliest tokens</source>
        <translation>die wahrscheinlichsten Tokens</translation>
    </message>
    <message>
        <source>{} rows x {} bytes</source>
        <translation>{} Zeilen × {} Byte</translation>
    </message>
    <message>
        <source>rows of weights on their way to a GPU</source>
        <translation>Zeilen von Gewichten auf dem Weg zu einer GPU</translation>
    </message>
    <message>
        <source>{} threads x {} bytes</source>
        <translation>{} Threads × {} Byte</translation>
    </message>
    <message>
        <source>tokens that the caches hold</source>
        <translation>Tokens, die die Caches enthalten</translation>
    </message>
    <message>
        <source>{} slots x {} positions x {} bytes</source>
        <translation>{} Slots × {} Positionen × {} Byte</translation>
    </message>
    <message>
        <source>what a step is given, and its likeliest tokens</source>
        <translation>die Eingaben eines Schritts und seine wahrscheinlichsten Tokens</translation>
    </message>
    <message>
        <source>{} words x 4 bytes</source>
        <translation>{} Wörter × 4 Byte</translation>
    </message>
    <message>
        <source>weights on their way to a GPU</source>
        <translation>Gewichte auf dem Weg zu einer GPU</translation>
    </message>
    <message>
        <source>{} parts x {} bytes</source>
        <translation>{} Teile × {} Byte</translation>
    </message>
    <message>
        <source>upload, while weights are loaded</source>
        <translation>Übertragung, während Gewichte geladen werden</translation>
    </message>
    <message>
        <source>{} bytes at once</source>
        <translation>{} Byte auf einmal</translation>
    </message>
    <message>
        <source>padding to a multiple of {}</source>
        <translation>Auffüllung auf ein Vielfaches von {}</translation>
    </message>
    <message>
        <source>all {} layers on the GPUs</source>
        <translation>alle {} Schichten auf den GPUs</translation>
    </message>
    <message>
        <source>all {} layers on the GPU</source>
        <translation>alle {} Schichten auf der GPU</translation>
    </message>
    <message>
        <source>{} of {} layers on the GPUs</source>
        <translation>{} von {} Schichten auf den GPUs</translation>
    </message>
    <message>
        <source>{} of {} layers on the GPU</source>
        <translation>{} von {} Schichten auf der GPU</translation>
    </message>
    <message>
        <source>{}, the FFN of {} of them on the CPU</source>
        <translation>{}, das FFN von {} davon auf der CPU</translation>
    </message>
    <message>
        <source>about {} times as fast ({} tokens/s)</source>
        <translation>etwa {}-mal so schnell ({} Tokens/s)</translation>
    </message>
    <message>
        <source>{} allocates at most {} at once: {} of {} cannot stand there.</source>
        <translation>{} gibt höchstens {} auf einmal her: {} mit {} hat dort keinen Platz.</translation>
    </message>
    <message>
        <source>No layer fits on {} under this headroom: it is not used.</source>
        <translation>Bei dieser Reserve passt keine Schicht auf {}: Das Gerät bleibt ungenutzt.</translation>
    </message>
    <message>
        <source>{} is not used: the devices before it hold all its layers.</source>
        <translation>{} bleibt ungenutzt: Die Geräte davor haben alle Schichten.</translation>
    </message>
    <message>
        <source>{} is not in this machine: the plan can be read and not loaded; what stays on the CPU is held against this machine&apos;s memory.</source>
        <translation>{} ist nicht in diesem Rechner: Der Plan lässt sich lesen, aber nicht laden; was auf der CPU bleibt, wird am Speicher dieses Rechners gemessen.</translation>
    </message>
    <message>
        <source>No layer fits on {} beside the output head under this headroom: everything is planned for the CPU.</source>
        <translation>Bei dieser Reserve passt neben der Ausgabe keine Schicht auf {}: Alles ist für die CPU geplant.</translation>
    </message>
    <message>
        <source>The last {} layers read caches of each other and stand on one device: fewer of them are on no GPU.</source>
        <translation>Die letzten {} Schichten lesen gegenseitig ihre Caches und liegen auf einem Gerät: Weniger davon kommen auf keine GPU.</translation>
    </message>
    <message>
        <source>The FFN of {} stands on the CPU, attention and cache on {}.</source>
        <translation>Auf der CPU liegt das FFN von {}, Attention und Cache auf {}.</translation>
    </message>
    <message numerus="yes">
        <source>Prompts of {} tokens or more are read faster: the FFN weights of %n layer(s) on the CPU are streamed to {} for them.</source>
        <translation>
            <numerusform>Prompts ab {} Tokens werden schneller gelesen: Die FFN-Gewichte von %n Schicht auf der CPU werden dafür an {} gestreamt.</numerusform>
            <numerusform>Prompts ab {} Tokens werden schneller gelesen: Die FFN-Gewichte von %n Schichten auf der CPU werden dafür an {} gestreamt.</numerusform>
        </translation>
    </message>
    <message>
        <source>What other programs hold of {} is not known: less may be free than is planned with.</source>
        <translation>Was andere Programme von {} belegen, ist unbekannt: Es kann weniger frei sein als geplant.</translation>
    </message>
    <message>
        <source>The driver&apos;s share on {}, {}, is an assumption: it is measured at the first load.</source>
        <translation>Der Anteil des Treibers auf {}, {}, ist eine Annahme: Er wird beim ersten Laden gemessen.</translation>
    </message>
    <message>
        <source>The driver&apos;s share on {}, {}, is an assumption.</source>
        <translation>Der Anteil des Treibers auf {}, {}, ist eine Annahme.</translation>
    </message>
    <message>
        <source>{} shares its memory with the CPU: one pool, counted once.</source>
        <translation>{} teilt den Speicher mit der CPU: ein Vorrat, einmal gezählt.</translation>
    </message>
    <message>
        <source>Context {} is above the {} that the model was trained with: answers may lose sense beyond it.</source>
        <translation>Kontext {} liegt über den {}, mit denen das Modell trainiert wurde: Jenseits davon können Antworten ihren Sinn verlieren.</translation>
    </message>
    <message>
        <source>The cache is kept in groups of {} positions: {} is planned as {}.</source>
        <translation>Der Cache wird in Gruppen von {} Positionen geführt: {} ist als {} geplant.</translation>
    </message>
    <message>
        <source>{} of {} layers see a window: their cache holds the window and one batch, however long the context.</source>
        <translation>{} von {} Schichten sehen nur ein Fenster: Ihr Cache fasst das Fenster und einen Batch, wie lang der Kontext auch ist.</translation>
    </message>
    <message>
        <source>The last {} layers have no cache: they read those of earlier ones.</source>
        <translation>Die letzten {} Schichten haben keinen Cache: Sie lesen den früherer Schichten.</translation>
    </message>
    <message>
        <source>{} of {} layers keep a state of fixed size instead of a cache: {}, however long the context.</source>
        <translation>{} von {} Schichten behalten statt eines Caches einen Zustand fester Größe: {}, wie lang der Kontext auch ist.</translation>
    </message>
    <message>
        <source>{} of {} layers keep a state of fixed size instead of a cache: {} for each of {} slots, however long the context.</source>
        <translation>{} von {} Schichten behalten statt eines Caches einen Zustand fester Größe: {} für jeden von {} Slots, wie lang der Kontext auch ist.</translation>
    </message>
    <message>
        <source>KV as q4_0 is kept rotated, its first and newest positions as F16: where that was measured, it cost what q8_0 costs without. `headroom-cli kld` measures it on this model.</source>
        <translation>KV als q4_0 wird rotiert gespeichert, die ersten und neuesten Positionen als F16: Wo das gemessen wurde, kostete es so viel Qualität wie q8_0 ohne dies. `headroom-cli kld` misst es an diesem Modell.</translation>
    </message>
    <message>
        <source>Heads of {} elements are padded to {} in {}.</source>
        <translation>Heads von {} Elementen werden auf {} aufgefüllt ({}).</translation>
    </message>
    <message>
        <source>Not loaded: {}.</source>
        <translation>Nicht geladen: {}.</translation>
    </message>
    <message>
        <source>The token embedding is also the output head: it is held twice, on {} to embed and on {} for the logits.</source>
        <translation>Das Token-Embedding ist zugleich die Ausgabe: Es liegt doppelt vor, auf {} zum Einbetten und auf {} für die Logits.</translation>
    </message>
    <message>
        <source>quality unchanged</source>
        <translation>Qualität unverändert</translation>
    </message>
    <message>
        <source>quality nearly unchanged</source>
        <translation>Qualität fast unverändert</translation>
    </message>
    <message>
        <source>some quality loss</source>
        <translation>etwas Qualitätsverlust</translation>
    </message>
    <message>
        <source>KV as {}</source>
        <translation>KV als {}</translation>
    </message>
    <message>
        <source>K as {}</source>
        <translation>K als {}</translation>
    </message>
    <message>
        <source>V as {}</source>
        <translation>V als {}</translation>
    </message>
    <message>
        <source>context {}k</source>
        <translation>Kontext {}k</translation>
    </message>
    <message>
        <source>context {}</source>
        <translation>Kontext {}</translation>
    </message>
    <message>
        <source>1 answer at a time</source>
        <translation>nur 1 Antwort zugleich</translation>
    </message>
    <message>
        <source>{} answers at once</source>
        <translation>{} Antworten zugleich</translation>
    </message>
    <message>
        <source>layer {}</source>
        <translation>Schicht {}</translation>
    </message>
    <message>
        <source>layers {}-{}</source>
        <translation>Schichten {}–{}</translation>
    </message>
    <message>
        <source>{}: expected a KV type with a kernel on {} ({}), found {}</source>
        <translation>{}: erwartet ein KV-Typ mit einem Kernel auf {} ({}), gefunden {}</translation>
    </message>
    <message>
        <source>n_ctx: expected at most {}, found {}</source>
        <translation>n_ctx: erwartet höchstens {}, gefunden {}</translation>
    </message>
    <message>
        <source>n_batch: expected auto or 1 to {}, found {}</source>
        <translation>n_batch: erwartet auto oder 1 bis {}, gefunden {}</translation>
    </message>
    <message>
        <source>n_slots: expected 1 to {}, found {}</source>
        <translation>n_slots: erwartet 1 bis {}, gefunden {}</translation>
    </message>
    <message>
        <source>n_checkpoints: expected auto or 0 to {}, found {}</source>
        <translation>n_checkpoints: erwartet auto oder 0 bis {}, gefunden {}</translation>
    </message>
    <message>
        <source>n_draft: expected at most {} with n_batch {}, found {}</source>
        <translation>n_draft: erwartet höchstens {} bei n_batch {}, gefunden {}</translation>
    </message>
    <message>
        <source>n_logit_rows: expected the rows of a decode step ({}) to those of any step ({}), found {}</source>
        <translation>n_logit_rows: erwartet die Zeilen eines Decode-Schritts ({}) bis zu denen eines beliebigen Schritts ({}), gefunden {}</translation>
    </message>
    <message>
        <source>n_draft: expected 0 for {}, whose recurrent layers cannot take drafts back, found {}</source>
        <translation>n_draft: erwartet 0 für {}, dessen rekurrente Schichten Entwürfe nicht zurücknehmen können, gefunden {}</translation>
    </message>
    <message>
        <source>stream_rows: expected auto, 0 (none) or at least {}, found {}</source>
        <translation>stream_rows: erwartet auto, 0 (keine) oder mindestens {}, gefunden {}</translation>
    </message>
    <message>
        <source>device: expected an index below {}, found {}</source>
        <translation>device: erwartet ein Index unter {}, gefunden {}</translation>
    </message>
    <message>
        <source>device: expected each device once, found {} twice</source>
        <translation>device: erwartet jedes Gerät einmal, {} zweimal gefunden</translation>
    </message>
    <message>
        <source>device: expected at least {} layers on the last GPU, since some of them read caches of others, found {}</source>
        <translation>device: erwartet mindestens {} Schichten auf der letzten GPU, da einige die Caches anderer lesen, gefunden {}</translation>
    </message>
    <message>
        <source>device: expected layers for each of {} GPUs, {} together, or for none, found {} for {}</source>
        <translation>device: erwartet Schichten für jede von {} GPUs, zusammen {}, oder für keine, gefunden {} für {}</translation>
    </message>
    <message>
        <source>{}: expected 0 or auto on the device {}, which is not a GPU, found {}</source>
        <translation>{}: erwartet 0 oder auto auf dem Gerät {}, das keine GPU ist, gefunden {}</translation>
    </message>
    <message>
        <source>{}: expected 0 to {} (the layers of {}) or auto, found {}</source>
        <translation>{}: erwartet 0 bis {} (die Schichten von {}) oder auto, gefunden {}</translation>
    </message>
    <message>
        <source>n_cpu_ffn: expected 0 to {} (the layers on GPUs) or auto, found {}</source>
        <translation>n_cpu_ffn: erwartet 0 bis {} (die Schichten auf GPUs) oder auto, gefunden {}</translation>
    </message>
    <message>
        <source>devices: expected the CPU among them, found {} others</source>
        <translation>devices: erwartet die CPU darunter, gefunden {} andere</translation>
    </message>
    <message>
        <source>model {}: expected at least one layer, found none</source>
        <translation>Modell {}: erwartet mindestens eine Schicht, keine gefunden</translation>
    </message>
    <message>
        <source>{} of at most {} {}</source>
        <translation>{} von höchstens {} {}</translation>
    </message>
    <message>
        <source>{} of {} {}</source>
        <translation>{} von {} {}</translation>
    </message>
    <message>
        <source>{}, {} to spare</source>
        <translation>{}, {} übrig</translation>
    </message>
    <message>
        <source>{}, {} kept free, {} to spare</source>
        <translation>{}, {} Reserve, {} übrig</translation>
    </message>
    <message>
        <source>has {} free, at most {} to use</source>
        <translation>frei sind {}, höchstens {} zu nutzen</translation>
    </message>
    <message>
        <source>has {} free, at most {} to use on {}</source>
        <translation>frei sind {}, höchstens {} zu nutzen auf {}</translation>
    </message>
    <message>
        <source>has {} free</source>
        <translation>frei sind {}</translation>
    </message>
    <message>
        <source>has {} free, {} to keep free</source>
        <translation>frei sind {}, {} als Reserve</translation>
    </message>
    <message>
        <source>has {} free, {} to keep free on {}</source>
        <translation>frei sind {}, {} als Reserve auf {}</translation>
    </message>
    <message>
        <source>{} is asked for {}, {} with the same memory for {} more, and {}</source>
        <translation>Von {} werden {} verlangt, von {} mit demselben Speicher weitere {}; {}</translation>
    </message>
    <message>
        <source>{} is asked for {} and {}</source>
        <translation>Von {} werden {} verlangt; {}</translation>
    </message>
    <message>
        <source>{}, other programs hold {}</source>
        <translation>{}, andere Programme belegen {}</translation>
    </message>
    <message>
        <source>Nothing is planned</source>
        <translation>Nichts geplant</translation>
    </message>
    <message>
        <source>Fits: {}</source>
        <translation>Passt: {}</translation>
    </message>
    <message>
        <source>Does not fit by {}: {}</source>
        <translation>Passt nicht, {} fehlen: {}</translation>
    </message>
    <message>
        <source>The longest context that fits is {} positions, all that the model was trained with.</source>
        <translation>Der längste passende Kontext hat {} Positionen, so viele wie beim Training des Modells.</translation>
    </message>
    <message>
        <source>The longest context that fits is {} positions.</source>
        <translation>Der längste passende Kontext hat {} Positionen.</translation>
    </message>
    <message>
        <source>device: expected a GPU to put layers on, found {}</source>
        <translation>device: erwartet eine GPU für Schichten, gefunden {}</translation>
    </message>
    <message>
        <source>{} of {} layers fit on {}, with the FFN of {} of them on the CPU.</source>
        <translation>{} von {} Schichten passen auf {}, mit dem FFN von {} davon auf der CPU.</translation>
    </message>
    <message>
        <source>{} of {} layers fit on {}.</source>
        <translation>{} von {} Schichten passen auf {}.</translation>
    </message>
    <message>
        <source>0 of {} layers fit on {}.</source>
        <translation>0 von {} Schichten passen auf {}.</translation>
    </message>
    <message>
        <source>The least lossy KV types that fit are {} for K and {} for V.</source>
        <translation>Die verlustärmsten passenden KV-Typen sind {} für K und {} für V.</translation>
    </message>
    <message>
        <source>more than 1,000</source>
        <translation>mehr als 1.000</translation>
    </message>
    <message>
        <source>about {} tokens/s</source>
        <translation>etwa {} Tokens/s</translation>
    </message>
    <message>
        <source>more than 1,000 tokens/s</source>
        <translation>mehr als 1.000 Tokens/s</translation>
    </message>
    <message>
        <source>{}: expected rows of which {} are at most {} to stream them, found {}</source>
        <translation>{}: erwartet Zeilen, von denen {} zum Streamen höchstens {} sind, gefunden {}</translation>
    </message>
    <message>
        <source>the plan places {} on {}, which is not in this machine: it can be planned for, not loaded on</source>
        <translation>der Plan legt {} auf {}; das ist nicht in diesem Rechner: Dafür lässt sich planen, aber nichts darauf laden</translation>
    </message>
    <message>
        <source>, of which {} are to stay free</source>
        <translation>, davon sollen {} frei bleiben</translation>
    </message>
    <message>
        <source>, and at most {} may be used, {} of them in use</source>
        <translation>, höchstens {} dürfen genutzt werden, {} sind es schon</translation>
    </message>
    <message>
        <source>other programs {}</source>
        <translation>andere Programme {}</translation>
    </message>
    <message>
        <source>other programs {} (estimated)</source>
        <translation>andere Programme {} (geschätzt)</translation>
    </message>
    <message>
        <source>what other programs hold is not known</source>
        <translation>was andere Programme belegen, ist unbekannt</translation>
    </message>
    <message>
        <source>, its driver keeps {}</source>
        <translation>, der Treiber {}</translation>
    </message>
    <message>
        <source>, free {} ({} bytes){}; of {} Headroom holds {}, {}{}</source>
        <translation>, frei {} ({} Byte){}; von {} belegt Headroom {}, {}{}</translation>
    </message>
    <message>
        <source>{}: asked for {} ({} bytes){}</source>
        <translation>{}: verlangt {} ({} Byte){}</translation>
    </message>
    <message>
        <source>no model is loaded</source>
        <translation>es ist kein Modell geladen</translation>
    </message>
    <message>
        <source>cancelled before it began</source>
        <translation>abgebrochen, bevor es begann</translation>
    </message>
    <message>
        <source>the system refused memory for this prompt</source>
        <translation>das System gab keinen Speicher für diesen Prompt</translation>
    </message>
    <message>
        <source>the system refused memory for this request</source>
        <translation>das System gab keinen Speicher für diese Anfrage</translation>
    </message>
    <message>
        <source>the system refused memory for this answer</source>
        <translation>das System gab keinen Speicher für diese Antwort</translation>
    </message>
    <message>
        <source>a load needs a plan</source>
        <translation>zum Laden braucht es einen Plan</translation>
    </message>
    <message>
        <source>a replan needs a plan</source>
        <translation>zum neuen Planen braucht es einen Plan</translation>
    </message>
    <message>
        <source>planning anew was cancelled</source>
        <translation>das neue Planen wurde abgebrochen</translation>
    </message>
    <message>
        <source>an answer is being written: a plan is verified while nothing is answered</source>
        <translation>eine Antwort wird gerade geschrieben: Ein Plan wird geprüft, solange nichts beantwortet wird</translation>
    </message>
    <message>
        <source>logits of row {}: the step leaves {} rows of them</source>
        <translation>Logits von Zeile {}: Der Schritt hinterlässt {} Zeilen davon</translation>
    </message>
    <message>
        <source>a step of {} rows and {} logit rows: planned for 1 to {} and at most {}</source>
        <translation>ein Schritt von {} Zeilen und {} Logit-Zeilen: geplant für 1 bis {} und höchstens {}</translation>
    </message>
    <message>
        <source>token {} at position {} of slot {}: the vocabulary has {}, the context {}, and there are {} slots</source>
        <translation>Token {} an Position {} von Slot {}: Das Vokabular hat {}, der Kontext {}, und es gibt {} Slots</translation>
    </message>
    <message>
        <source>logits of row {} in a step of {}</source>
        <translation>Logits von Zeile {} in einem Schritt von {}</translation>
    </message>
    <message>
        <source>{} positions of slot {} to slot {}: there are {} slots of {}</source>
        <translation>{} Positionen von Slot {} nach Slot {}: Es gibt {} Slots zu {}</translation>
    </message>
    <message>
        <source>the plan was made for another model: expected one of fingerprint {}, found {} of {}</source>
        <translation>der Plan wurde für ein anderes Modell gemacht: erwartet eines mit Fingerabdruck {}, gefunden {} mit {}</translation>
    </message>
    <message>
        <source>the file has no tokenizer (tokenizer.ggml.model)</source>
        <translation>die Datei hat keinen Tokenizer (tokenizer.ggml.model)</translation>
    </message>
    <message>
        <source>the weights of {} do not all stand in host memory: two sessions cannot share them</source>
        <translation>die Gewichte von {} liegen nicht alle im Arbeitsspeicher: Zwei Sitzungen können sie nicht teilen</translation>
    </message>
    <message>
        <source>{}: expected the model that is loaded, {}, found {} of another shape: load it again</source>
        <translation>{}: erwartet das geladene Modell, {}, gefunden {} mit anderer Form: Bitte neu laden</translation>
    </message>
    <message>
        <source>{}: asked for {} ({} bytes)</source>
        <translation>{}: verlangt {} ({} Byte)</translation>
    </message>
    <message>
        <source>, {} with the same memory for {} ({} bytes)</source>
        <translation>, von {} mit demselben Speicher {} ({} Byte)</translation>
    </message>
    <message>
        <source>the prompt has {} bytes of text: the context holds {} tokens, and memory is planned for {} bytes</source>
        <translation>der Prompt hat {} Byte Text: Der Kontext fasst {} Tokens, und Speicher ist für {} Byte geplant</translation>
    </message>
    <message>
        <source>reading the prompt was stopped</source>
        <translation>das Lesen des Prompts wurde angehalten</translation>
    </message>
    <message>
        <source>the model cannot read text: {}</source>
        <translation>das Modell kann keinen Text lesen: {}</translation>
    </message>
    <message>
        <source>the messages have {} bytes of text: the context holds {} tokens, and memory is planned for {} bytes</source>
        <translation>die Nachrichten haben {} Byte Text: Der Kontext fasst {} Tokens, und Speicher ist für {} Byte geplant</translation>
    </message>
    <message>
        <source>{} prompts of {} bytes wait to be read; with this one they would be more than {}</source>
        <translation>{} Prompts mit {} Byte warten darauf, gelesen zu werden; mit diesem wären es mehr als {}</translation>
    </message>
    <message>
        <source>the system refused memory for reading this prompt</source>
        <translation>das System gab keinen Speicher zum Lesen dieses Prompts</translation>
    </message>
    <message>
        <source>sampler: {} must be {}, found {}</source>
        <translation>Sampler: {} muss {} sein, gefunden {}</translation>
    </message>
    <message>
        <source>from 0 to 100</source>
        <translation>von 0 bis 100</translation>
    </message>
    <message>
        <source>above 0 and at most 1</source>
        <translation>über 0 und höchstens 1</translation>
    </message>
    <message>
        <source>from 0 to 1</source>
        <translation>von 0 bis 1</translation>
    </message>
    <message>
        <source>above 0 and at most 100</source>
        <translation>über 0 und höchstens 100</translation>
    </message>
    <message>
        <source>from -100 to 100</source>
        <translation>von -100 bis 100</translation>
    </message>
    <message>
        <source>the queue is full: {} requests wait for an answer, and no more than {} may</source>
        <translation>die Warteschlange ist voll: {} Anfragen warten auf eine Antwort, und mehr als {} dürfen es nicht sein</translation>
    </message>
    <message>
        <source>the probabilities of {} tokens were asked for, at most {} are told</source>
        <translation>verlangt waren die Wahrscheinlichkeiten von {} Tokens, genannt werden höchstens {}</translation>
    </message>
    <message>
        <source>the plan places other weights than those that are loaded: load the model with it instead</source>
        <translation>der Plan legt andere Gewichte an als die geladenen: Laden Sie stattdessen das Modell damit</translation>
    </message>
    <message>
        <source>slot {} does not exist: the plan has {}</source>
        <translation>Slot {} gibt es nicht: Der Plan hat {}</translation>
    </message>
    <message>
        <source>token {} is outside the vocabulary of {}</source>
        <translation>Token {} liegt außerhalb des Vokabulars von {}</translation>
    </message>
    <message>
        <source>the prompt is empty: there is nothing to continue</source>
        <translation>der Prompt ist leer: Es gibt nichts fortzusetzen</translation>
    </message>
    <message>
        <source>the prompt has {} tokens, the context holds {}</source>
        <translation>der Prompt hat {} Tokens, der Kontext fasst {}</translation>
    </message>
    <message>
        <source>the verification was stopped</source>
        <translation>die Prüfung wurde angehalten</translation>
    </message>
    <message>
        <source>the file has no tokenizer, so no answers can be written with it</source>
        <translation>die Datei hat keinen Tokenizer, also lassen sich damit keine Antworten schreiben</translation>
    </message>
    <message>
        <source>The file has no chat template ({}).</source>
        <translation>Die Datei hat keine Chat-Vorlage ({}).</translation>
    </message>
    <message>
        <source>needs a system prompt: {}</source>
        <translation>braucht einen Systemprompt: {}</translation>
    </message>
    <message>
        <source>takes no system prompt: {}</source>
        <translation>nimmt keinen Systemprompt: {}</translation>
    </message>
    <message>
        <source>The chat template of this model takes no system prompt. Leave it empty, or put it into the first message ({}).</source>
        <translation>Die Chat-Vorlage dieses Modells nimmt keinen Systemprompt. Lassen Sie ihn leer, oder schreiben Sie ihn in die erste Nachricht ({}).</translation>
    </message>
    <message>
        <source>The chat template of this model needs a system prompt. Write one ({}).</source>
        <translation>Die Chat-Vorlage dieses Modells braucht einen Systemprompt. Schreiben Sie einen ({}).</translation>
    </message>
    <message>
        <source>The chat template of this model refuses this conversation: {}</source>
        <translation>Die Chat-Vorlage dieses Modells lehnt diese Unterhaltung ab: {}</translation>
    </message>
    <message>
        <source>The chat template of this model cannot render this conversation: {}</source>
        <translation>Die Chat-Vorlage dieses Modells kann diese Unterhaltung nicht umsetzen: {}</translation>
    </message>
    <message>
        <source>expected an assistant message to continue, found {}</source>
        <translation>erwartet eine Nachricht des Assistenten zum Fortsetzen, gefunden {}</translation>
    </message>
    <message>
        <source>no message</source>
        <translation>keine Nachricht</translation>
    </message>
    <message>
        <source>one of role &apos;{}&apos;</source>
        <translation>eine mit der Rolle „{}“</translation>
    </message>
    <message>
        <source>chat template, line {}: {}</source>
        <translation>Chat-Vorlage, Zeile {}: {}</translation>
    </message>
    <message>
        <source>chat template: out of memory</source>
        <translation>Chat-Vorlage: kein Speicher mehr</translation>
    </message>
    <message>
        <source>chat template: {}</source>
        <translation>Chat-Vorlage: {}</translation>
    </message>
    <message>
        <source>chat template: expected at most {} bytes, found {}</source>
        <translation>Chat-Vorlage: erwartet höchstens {} Byte, gefunden {}</translation>
    </message>
    <message>
        <source>pre-tokenizer pattern &apos;{}&apos;: PCRE2 error {} at byte {}</source>
        <translation>Muster „{}“ des Vor-Tokenizers: PCRE2-Fehler {} bei Byte {}</translation>
    </message>
    <message>
        <source>metadata &apos;tokenizer.ggml.pre&apos;: expected one of {}, found {}</source>
        <translation>Metadatum „tokenizer.ggml.pre“: erwartet eines von {}, gefunden {}</translation>
    </message>
    <message>
        <source>metadata &apos;tokenizer.ggml.tokens&apos;: expected a byte token for each of the 256 bytes, found none for {}</source>
        <translation>Metadatum „tokenizer.ggml.tokens“: erwartet ein Byte-Token für jedes der 256 Bytes, keines gefunden für {}</translation>
    </message>
    <message>
        <source>metadata &apos;tokenizer.ggml.merges&apos;: expected two tokens that make a token, found {}</source>
        <translation>Metadatum „tokenizer.ggml.merges“: erwartet zwei Tokens, die ein Token ergeben, gefunden {}</translation>
    </message>
    <message>
        <source>no such key</source>
        <translation>kein solcher Schlüssel</translation>
    </message>
    <message>
        <source>a token id below {}</source>
        <translation>eine Token-ID unter {}</translation>
    </message>
    <message>
        <source>token ids below {}</source>
        <translation>Token-IDs unter {}</translation>
    </message>
    <message>
        <source>1 to {} entries</source>
        <translation>1 bis {} Einträge</translation>
    </message>
    <message>
        <source>{} entries, one per token</source>
        <translation>{} Einträge, einer je Token</translation>
    </message>
    <message>
        <source>numbers</source>
        <translation>Zahlen</translation>
    </message>
    <message>
        <source>not a number</source>
        <translation>keine Zahl</translation>
    </message>
    <message>
        <source>at most {} entries</source>
        <translation>höchstens {} Einträge</translation>
    </message>
    <message>
        <source>an id, because tokenizer.ggml.add_bos_token is true</source>
        <translation>eine ID, weil tokenizer.ggml.add_bos_token wahr ist</translation>
    </message>
    <message>
        <source>an id, because tokenizer.ggml.add_eos_token is true</source>
        <translation>eine ID, weil tokenizer.ggml.add_eos_token wahr ist</translation>
    </message>
    <message>
        <source>metadata &apos;tokenizer.ggml.model&apos;: expected &apos;{}&apos; (SentencePiece), &apos;{}&apos; (byte-level BPE) or &apos;{}&apos; (BPE of characters), found {}</source>
        <translation>Metadatum „tokenizer.ggml.model“: erwartet „{}“ (SentencePiece), „{}“ (BPE auf Byte-Ebene) oder „{}“ (BPE aus Zeichen), gefunden {}</translation>
    </message>
    <message>
        <source>the kind of tokenizer</source>
        <translation>die Art des Tokenizers</translation>
    </message>
    <message>
        <source>{} cannot be started: {}</source>
        <translation>{} kann nicht gestartet werden: {}</translation>
    </message>
    <message>
        <source>device: expected a GPU of this machine such as vulkan:0, found &quot;{}&quot;</source>
        <translation>device: erwartet wurde eine GPU dieses Rechners wie vulkan:0, gefunden wurde „{}“</translation>
    </message>
    <message>
        <source>{}: the report cannot be written: {}</source>
        <translation>{}: Der Bericht kann nicht geschrieben werden: {}</translation>
    </message>
    <message>
        <source>cannot tell where this program stands: {}</source>
        <translation>Es lässt sich nicht feststellen, wo dieses Programm liegt: {}</translation>
    </message>
    <message>
        <source>{} is not installed: expected {}, found no such file</source>
        <translation>{} ist nicht installiert: Erwartet wurde {}, eine solche Datei gibt es nicht</translation>
    </message>
    <message>
        <source>a safetensors file</source>
        <translation>eine safetensors-Datei</translation>
    </message>
    <message>
        <source>a text file</source>
        <translation>eine Textdatei</translation>
    </message>
    <message>
        <source>a file of an unknown kind</source>
        <translation>eine Datei unbekannter Art</translation>
    </message>
    <message>
        <source>a cut-off file</source>
        <translation>eine abgeschnittene Datei</translation>
    </message>
    <message>
        <source>device</source>
        <translation>Gerät</translation>
    </message>
    <message>
        <source>host</source>
        <translation>Arbeitsspeicher</translation>
    </message>
    <message>
        <source>page-locked host</source>
        <translation>seitengesperrter Arbeitsspeicher</translation>
    </message>
    <message>
        <source>Weights are streamed for prompts: an answer of {} tokens to a prompt of {} is predicted to take {} s, without that {} s.</source>
        <translation>Gewichte werden für Prompts gestreamt: Für eine Antwort von {} Tokens auf einen Prompt von {} sind {} s vorhergesagt, ohne das {} s.</translation>
    </message>
    <message>
        <source>Weights are not streamed for prompts: an answer of {} tokens to a prompt of {} is predicted to take {} s, with room for that {} s.</source>
        <translation>Gewichte werden für Prompts nicht gestreamt: Für eine Antwort von {} Tokens auf einen Prompt von {} sind {} s vorhergesagt, mit Platz dafür {} s.</translation>
    </message>
    <message>
        <source>A state cannot go back, and there are no checkpoints: a conversation that is changed further up is read again from its beginning.</source>
        <translation>Ein Zustand kann nicht zurück, und es gibt keine Checkpoints: Eine weiter oben geänderte Unterhaltung wird von Anfang an neu gelesen.</translation>
    </message>
    <message>
        <source>A window cannot go far back, and there are no checkpoints: a conversation that is changed further up is read again from its beginning.</source>
        <translation>Ein Fenster kann nicht weit zurück, und es gibt keine Checkpoints: Eine weiter oben geänderte Unterhaltung wird von Anfang an neu gelesen.</translation>
    </message>
    <message numerus="yes">
        <source>%n checkpoint(s) of {}</source>
        <translation>
            <numerusform>%n Checkpoint von {}</numerusform>
            <numerusform>%n Checkpoints zu je {}</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n checkpoint(s) of {} for each of {} slots</source>
        <translation>
            <numerusform>%n Checkpoint von {} für jeden von {} Slots</numerusform>
            <numerusform>%n Checkpoints zu je {} für jeden von {} Slots</numerusform>
        </translation>
    </message>
    <message>
        <source>A state cannot go back: {} let an answer be generated again and a message be changed without reading all that was said.</source>
        <translation>Ein Zustand kann nicht zurück: Mit {} lässt sich eine Antwort neu erzeugen und eine Nachricht ändern, ohne alles Gesagte neu zu lesen.</translation>
    </message>
    <message>
        <source>A window cannot go far back: {} let an answer be generated again and a message be changed without reading all that was said.</source>
        <translation>Ein Fenster kann nicht weit zurück: Mit {} lässt sich eine Antwort neu erzeugen und eine Nachricht ändern, ohne alles Gesagte neu zu lesen.</translation>
    </message>
    <message>
        <source>No context fits: even one position misses {} on {}.</source>
        <translation>Kein Kontext passt: Schon bei einer Position fehlen {} auf {}.</translation>
    </message>
    <message>
        <source>The longest context that fits is {} positions; {} is refused ({}).</source>
        <translation>Der längste passende Kontext hat {} Positionen; {} werden abgelehnt ({}).</translation>
    </message>
    <message>
        <source>The longest context that fits is {} positions; {} misses {} on {}.</source>
        <translation>Der längste passende Kontext hat {} Positionen; bei {} fehlen {} auf {}.</translation>
    </message>
    <message>
        <source>No number of layers fits: with none on {} the plan is refused ({}).</source>
        <translation>Keine Anzahl von Schichten passt: Auch ohne eine auf {} wird der Plan abgelehnt ({}).</translation>
    </message>
    <message>
        <source>No number of layers fits: with none on {} the plan misses {} on {}.</source>
        <translation>Keine Anzahl von Schichten passt: Auch ohne eine auf {} fehlen {} auf {}.</translation>
    </message>
    <message>
        <source>No KV types fit: even {} for K and {} for V is refused ({}).</source>
        <translation>Keine KV-Typen passen: Selbst {} für K und {} für V wird abgelehnt ({}).</translation>
    </message>
    <message>
        <source>No KV types fit: even {} for K and {} for V misses {} on {}.</source>
        <translation>Keine KV-Typen passen: Selbst bei {} für K und {} für V fehlen {} auf {}.</translation>
    </message>
    <message>
        <source>temperature</source>
        <translation>Temperatur</translation>
    </message>
    <message>
        <source>top-p</source>
        <translation>Top-p</translation>
    </message>
    <message>
        <source>min-p</source>
        <translation>Min-p</translation>
    </message>
    <message>
        <source>repetition penalty</source>
        <translation>Wiederholungsstrafe</translation>
    </message>
    <message>
        <source>presence penalty</source>
        <translation>Präsenzstrafe</translation>
    </message>
    <message>
        <source>it is a folder</source>
        <translation>das ist ein Ordner</translation>
    </message>
    <message>
        <source>it is a device or a pipe, not a file</source>
        <translation>das ist ein Gerät oder eine Pipe, keine Datei</translation>
    </message>
    <message>
        <source>there is no folder {}</source>
        <translation>es gibt keinen Ordner {}</translation>
    </message>
    <message>
        <source>Message {} of the file has no id of its own.</source>
        <translation>Nachricht {} der Datei hat keine eigene Kennung.</translation>
    </message>
    <message>
        <source>Message {} of the file is of neither side: its role is “{}”, and “user” or “assistant” was expected.</source>
        <translation>Nachricht {} der Datei gehört zu keiner Seite: Ihre Rolle ist „{}“, erwartet wurde „user“ oder „assistant“.</translation>
    </message>
    <message>
        <source>Message {} of the file answers one that does not stand before it.</source>
        <translation>Nachricht {} der Datei antwortet auf eine, die nicht vor ihr steht.</translation>
    </message>
    <message>
        <source>It is no JSON: {} at byte {}. A conversation that Headroom exported as JSON was expected.</source>
        <translation>Das ist kein JSON: {} bei Byte {}. Erwartet wurde eine Unterhaltung, die Headroom als JSON exportiert hat.</translation>
    </message>
    <message>
        <source>It is JSON, but no conversation that Headroom exported.</source>
        <translation>Das ist zwar JSON, aber keine von Headroom exportierte Unterhaltung.</translation>
    </message>
    <message>
        <source>It is a conversation of version {}, and this Headroom reads version {}.</source>
        <translation>Das ist eine Unterhaltung der Version {}; dieses Headroom liest Version {}.</translation>
    </message>
    <message>
        <source>It holds no message.</source>
        <translation>Sie enthält keine Nachricht.</translation>
    </message>
    <message>
        <source>A file of at most {} was expected.</source>
        <translation>Erwartet wurde eine Datei von höchstens {}.</translation>
    </message>
    <message>
        <source>There is no room for its header: {}</source>
        <translation>Für den Header ist kein Platz: {}</translation>
    </message>
    <message>
        <source>The answer is no list of files, as a hub sends it</source>
        <translation>Die Antwort ist keine Dateiliste, wie ein Hub sie sendet</translation>
    </message>
    <message>
        <source>This names no model: expected a repository as in &quot;Qwen/Qwen3-4B-GGUF&quot; or &quot;Qwen/Qwen3-4B-GGUF:Q4_K_M&quot;, the address of its page, or the address of a .gguf file</source>
        <translation>Das nennt kein Modell: Erwartet wurde ein Repository wie „Qwen/Qwen3-4B-GGUF“ oder „Qwen/Qwen3-4B-GGUF:Q4_K_M“, die Adresse seiner Seite oder die Adresse einer .gguf-Datei</translation>
    </message>
    <message>
        <source>This address has a name or a password in it, which would be written to disk: give it without</source>
        <translation>Diese Adresse enthält einen Namen oder ein Passwort, das auf die Platte geschrieben würde: Geben Sie sie ohne an</translation>
    </message>
    <message>
        <source>This page of the hub names no model: expected the page of a repository or of a .gguf file in it</source>
        <translation>Diese Seite des Hubs nennt kein Modell: Erwartet wurde die Seite eines Repositorys oder einer .gguf-Datei darin</translation>
    </message>
    <message>
        <source>This address is neither on {} nor that of a .gguf file. A mirror is named under Settings, as the hub&apos;s address</source>
        <translation>Diese Adresse liegt weder auf {}, noch ist sie die einer .gguf-Datei. Ein Spiegelserver wird in den Einstellungen als Adresse des Hubs angegeben</translation>
    </message>
    <message>
        <source>The file name in this address cannot be one on disk</source>
        <translation>Der Dateiname in dieser Adresse ist auf der Platte nicht möglich</translation>
    </message>
    <message>
        <source>its ending is none of .png, .svg, .csv, .json</source>
        <translation>die Endung muss .png, .svg, .csv oder .json sein</translation>
    </message>
    <message>
        <source>Headroom opens GGUF files (version 2 or 3, also split ones): drop a file that ends in .gguf.</source>
        <translation>Headroom öffnet GGUF-Dateien (Version 2 oder 3, auch geteilte): Ziehen Sie eine Datei auf das Fenster, die auf .gguf endet.</translation>
    </message>
    <message>
        <source>The folder “{}” holds safetensors files, which are not yet supported.</source>
        <translation>Der Ordner „{}“ enthält safetensors-Dateien; sie werden noch nicht unterstützt.</translation>
    </message>
    <message>
        <source>The folder “{}” holds no safetensors files.</source>
        <translation>Der Ordner „{}“ enthält keine safetensors-Dateien.</translation>
    </message>
    <message>
        <source>“{}” is a safetensors file, which is not yet supported.</source>
        <translation>„{}“ ist eine safetensors-Datei; diese werden noch nicht unterstützt.</translation>
    </message>
    <message>
        <source>The file of conversations, {}, is damaged and cannot be moved aside.</source>
        <translation>Die Unterhaltungsdatei {} ist beschädigt und lässt sich nicht beiseitelegen.</translation>
    </message>
    <message>
        <source>a newer Headroom</source>
        <translation>einem neueren Headroom</translation>
    </message>
    <message>
        <source>Headroom {}</source>
        <translation>Headroom {}</translation>
    </message>
    <message>
        <source>The conversations in {} were written by {} in a newer form ({}; this version reads up to {}). That file is left as it is.</source>
        <translation>Die Unterhaltungen in {} wurden von {} in einem neueren Format geschrieben ({}; diese Version liest bis {}). Die Datei bleibt, wie sie ist.</translation>
    </message>
    <message>
        <source>opened in {}</source>
        <translation>in {} geöffnet</translation>
    </message>
    <message>
        <source>The file of conversations, {}, is damaged: {}.</source>
        <translation>Die Unterhaltungsdatei {} ist beschädigt: {}.</translation>
    </message>
    <message>
        <source>listed</source>
        <translation>aufgelistet</translation>
    </message>
    <message>
        <source>read</source>
        <translation>gelesen</translation>
    </message>
    <message>
        <source>This conversation is no longer there.</source>
        <translation>Diese Unterhaltung gibt es nicht mehr.</translation>
    </message>
    <message>
        <source>erased</source>
        <translation>gelöscht</translation>
    </message>
    <message>
        <source>prepared</source>
        <translation>vorbereitet</translation>
    </message>
    <message>
        <source>searched</source>
        <translation>durchsucht</translation>
    </message>
    <message>
        <source>The conversations could not be {}: {}.</source>
        <translation>Die Unterhaltungen konnten nicht {} werden: {}.</translation>
    </message>
    <message>
        <source>saved</source>
        <translation>gespeichert</translation>
    </message>
    <message>
        <source>The file of conversations was damaged and could not be read. It was kept as {}, and a new one was started.</source>
        <translation>Die Unterhaltungsdatei war beschädigt und nicht lesbar. Sie wurde als {} aufbewahrt, und eine neue wurde begonnen.</translation>
    </message>
    <message>
        <source>What had waited to be saved is saved now.</source>
        <translation>Was auf das Speichern gewartet hat, ist jetzt gespeichert.</translation>
    </message>
    <message>
        <source>{} Nothing that you write now is kept.</source>
        <translation>{} Was Sie jetzt schreiben, wird nicht aufbewahrt.</translation>
    </message>
    <message>
        <source>{} It is kept in memory and tried again every few seconds; closing Headroom before that loses it.</source>
        <translation>{} Es bleibt vorerst im Speicher, und alle paar Sekunden wird es erneut versucht; wird Headroom vorher beendet, geht es verloren.</translation>
    </message>
    <message>
        <source>another process</source>
        <translation>ein anderer Prozess</translation>
    </message>
    <message>
        <source>process {}</source>
        <translation>Prozess {}</translation>
    </message>
    <message>
        <source>Headroom runs with the folder {} already, and what answers for it ({}) belongs to another user, who is not trusted. End it, or set HEADROOM_DATA_DIR to a folder of your own.</source>
        <translation>Headroom läuft mit dem Ordner {} bereits, und was dort antwortet ({}), gehört einem anderen Benutzer, dem nicht vertraut wird. Beenden Sie es, oder setzen Sie HEADROOM_DATA_DIR auf einen eigenen Ordner.</translation>
    </message>
    <message>
        <source>Headroom runs with the folder {} already ({}) and does not answer. Close its window or end that process, then start again.</source>
        <translation>Headroom läuft mit dem Ordner {} bereits ({}) und antwortet nicht. Schließen Sie sein Fenster oder beenden Sie den Prozess, und starten Sie dann neu.</translation>
    </message>
    <message>
        <source>{} files at most, with paths of up to {} bytes, can be opened at once.</source>
        <translation>Auf einmal lassen sich höchstens {} Dateien öffnen, mit Pfaden von bis zu {} Byte.</translation>
    </message>
    <message>
        <source>metadata &apos;{}&apos; is {}: value heads stand in another order than this version reads</source>
        <translation>Metadatum „{}“ ist {}: Die Value-Heads stehen in einer anderen Reihenfolge, als diese Version sie liest</translation>
    </message>
    <message>
        <source>layer {}: metadata &apos;{}&apos; is 0, expected at least 1 in a layer with attention</source>
        <translation>Schicht {}: Metadatum „{}“ ist 0, erwartet mindestens 1 in einer Schicht mit Attention</translation>
    </message>
    <message>
        <source>a reader of the layout that Ollama alone writes: of the same models, GGUF files of the architecture {} open</source>
        <translation>einen Leser für die Anordnung, die nur Ollama schreibt: Von denselben Modellen öffnen sich GGUF-Dateien der Architektur {}</translation>
    </message>
    <message>
        <source>holds the layers of multi-token prediction alone, not the model itself: open the main file</source>
        <translation>enthält nur die Schichten der Multi-Token-Vorhersage, nicht das Modell selbst: Öffnen Sie die Hauptdatei</translation>
    </message>
    <message>
        <source>metadata &apos;{}&apos; is missing beside tensors for images: Ollama&apos;s own files of this model leave it out, and without it every answer would be wrong</source>
        <translation>Metadatum „{}“ fehlt neben Tensoren für Bilder: Ollamas eigene Dateien dieses Modells lassen es weg, und ohne es wäre jede Antwort falsch</translation>
    </message>
    <message>
        <source>Open a file of the same model that llama.cpp&apos;s converter has written.</source>
        <translation>Öffnen Sie eine Datei desselben Modells, die der Konverter von llama.cpp geschrieben hat.</translation>
    </message>
    <message>
        <source>vision</source>
        <translation>Bilder</translation>
    </message>
    <message>
        <source>audio</source>
        <translation>Ton</translation>
    </message>
    <message>
        <source>multi-token prediction</source>
        <translation>Multi-Token-Vorhersage</translation>
    </message>
    <message>
        <source>n_batch {} with n_slots {}: expected steps of at most {} rows of {} on {}, found {}; lower n_batch or n_slots</source>
        <translation>n_batch {} mit n_slots {}: erwartet Schritte von höchstens {} Zeilen von {} auf {}, gefunden {}; n_batch oder n_slots verringern</translation>
    </message>
    <message>
        <source>automatic split</source>
        <translation>automatische Aufteilung</translation>
    </message>
    <message>
        <source>with {} too</source>
        <translation>auch mit {}</translation>
    </message>
    <message>
        <source>This conversation is too long for the chat template of this model: {}</source>
        <translation>Diese Unterhaltung ist für die Chat-Vorlage dieses Modells zu lang: {}</translation>
    </message>
</context>
<context>
    <name>headroom::app::Application</name>
    <message>
        <source>There is no graphics card here to check.</source>
        <translation>Hier gibt es keine Grafikkarte zu prüfen.</translation>
    </message>
    <message>
        <source>Press Reload under Memory: the model that is loaded moves there.</source>
        <translation>Unter „Speicher“ auf „Neu laden“ drücken: Das geladene Modell zieht dorthin um.</translation>
    </message>
    <message>
        <source>The starter model: a guide to memory and this app, not a general assistant. Drop a model of your own to talk about anything else.</source>
        <translation>Das Startmodell: ein Ratgeber zu Speicher und dieser App (auf Englisch), kein allgemeiner Assistent. Für alles andere ziehen Sie ein eigenes Modell auf das Fenster.</translation>
    </message>
    <message>
        <source>What is the KV cache?</source>
        <translation>What is the KV cache?</translation>
    </message>
    <message>
        <source>Why does a longer context need more memory?</source>
        <translation>Why does a longer context need more memory?</translation>
    </message>
    <message>
        <source>What does headroom mean?</source>
        <translation>What does headroom mean?</translation>
    </message>
    <message>
        <source>One model is open at a time: of %1 files, %2 is the one.</source>
        <translation>Es ist immer nur ein Modell offen: Von %1 Dateien ist es %2.</translation>
    </message>
    <message>
        <source>The settings cannot be written to %1: what you change is forgotten when Headroom ends.</source>
        <translation>Die Einstellungen können nicht in %1 geschrieben werden: Was Sie ändern, ist vergessen, wenn Headroom endet.</translation>
    </message>
</context>
<context>
    <name>headroom::app::Reporting</name>
    <message>
        <source>A plan is verified while its model is loaded and nothing is being answered.</source>
        <translation>Ein Plan lässt sich prüfen, solange sein Modell geladen ist und gerade nichts beantwortet wird.</translation>
    </message>
    <message>
        <source>Save a report</source>
        <translation>Bericht speichern</translation>
    </message>
    <message>
        <source>Zip files (*.zip)</source>
        <translation>Zip-Dateien (*.zip)</translation>
    </message>
    <message>
        <source>The report is in %1. Nothing of any conversation is in it.</source>
        <translation>Der Bericht liegt in %1. Er enthält nichts aus Unterhaltungen.</translation>
    </message>
</context>
<context>
    <name>headroom::ui::AdviceView</name>
    <message>
        <source>What would make it faster</source>
        <translation>Was es schneller macht</translation>
    </message>
    <message>
        <source>What would make it fit</source>
        <translation>Was es passend macht</translation>
    </message>
    <message>
        <source>Helps, and does not suffice alone</source>
        <translation>Hilft, reicht aber allein nicht</translation>
    </message>
    <message>
        <source>The plan fits as it is, and would be faster with this change</source>
        <translation>Der Plan passt bereits; mit dieser Änderung wäre er schneller</translation>
    </message>
    <message>
        <source>With this change it fits</source>
        <translation>Mit dieser Änderung passt es</translation>
    </message>
</context>
<context>
    <name>headroom::ui::AppearancePage</name>
    <message>
        <source>Colours</source>
        <translation>Farben</translation>
    </message>
    <message>
        <source>As the system</source>
        <translation>Wie das System</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>Hell</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>Dunkel</translation>
    </message>
    <message>
        <source>&amp;Theme</source>
        <translation>&amp;Design</translation>
    </message>
    <message>
        <source>High &amp;contrast</source>
        <translation>Hoher &amp;Kontrast</translation>
    </message>
    <message>
        <source>Text and borders stand out as far as they can, in either theme.</source>
        <translation>Text und Ränder heben sich so stark ab wie möglich, hell wie dunkel.</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>Text</translation>
    </message>
    <message>
        <source>%1 %</source>
        <translation>%1 %</translation>
    </message>
    <message>
        <source>&amp;Size of text</source>
        <translation>&amp;Größe</translation>
    </message>
    <message>
        <source>Of the whole window. Ctrl++ and Ctrl+- change it anywhere, Ctrl+0 is 100 %.</source>
        <translation>Für das ganze Fenster. Strg++ und Strg+- ändern sie überall, Strg+0 ergibt 100 %.</translation>
    </message>
    <message>
        <source>Motion</source>
        <translation>Bewegung</translation>
    </message>
    <message>
        <source>&amp;Reduce motion</source>
        <translation>&amp;Bewegung verringern</translation>
    </message>
    <message>
        <source>The text cursor does not blink; panes and menus come and go at once.</source>
        <translation>Der Textcursor blinkt nicht; Bereiche und Menüs erscheinen und verschwinden sofort.</translation>
    </message>
</context>
<context>
    <name>headroom::ui::ArenaTableModel</name>
    <message>
        <source>Planned %1, mapped %2</source>
        <translation>%1 geplant, %2 belegt</translation>
    </message>
    <message>
        <source>%1, session</source>
        <extracomment>Device and what lives there: &quot;cpu, weights&quot;</extracomment>
        <translation>%1, Sitzung</translation>
    </message>
    <message>
        <source>%1, weights</source>
        <translation>%1, Gewichte</translation>
    </message>
    <message>
        <source>Arena</source>
        <translation>Arena</translation>
    </message>
    <message>
        <source>Planned</source>
        <translation>Geplant</translation>
    </message>
    <message>
        <source>Mapped</source>
        <translation>Belegt</translation>
    </message>
    <message>
        <source>Difference</source>
        <translation>Differenz</translation>
    </message>
</context>
<context>
    <name>headroom::ui::AttachmentViewer</name>
    <message>
        <source>Text of %1</source>
        <translation>Text von %1</translation>
    </message>
    <message>
        <source>Copy all</source>
        <translation>Alles kopieren</translation>
    </message>
    <message>
        <source>Save as…</source>
        <translation>Speichern unter …</translation>
    </message>
    <message>
        <source>Find in this file</source>
        <translation>In dieser Datei suchen</translation>
    </message>
    <message>
        <source>Previous</source>
        <translation>Vorherige</translation>
    </message>
    <message>
        <source>Next</source>
        <translation>Nächste</translation>
    </message>
    <message numerus="yes">
        <source>%1 lines</source>
        <translation>
            <numerusform>%1 Zeile</numerusform>
            <numerusform>%1 Zeilen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 tokens</source>
        <translation>
            <numerusform>%1 Token</numerusform>
            <numerusform>%1 Tokens</numerusform>
        </translation>
    </message>
    <message>
        <source>Nothing found</source>
        <translation>Nichts gefunden</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
    <message>
        <source>%1 of at least %2</source>
        <translation>%1 von mindestens %2</translation>
    </message>
    <message>
        <source>Save the text</source>
        <translation>Text speichern</translation>
    </message>
</context>
<context>
    <name>headroom::ui::AttachmentsRow</name>
    <message>
        <source>Open what the model reads of %1</source>
        <translation>Öffnen, was das Modell von %1 liest</translation>
    </message>
    <message>
        <source>Open %1</source>
        <translation>%1 öffnen</translation>
    </message>
</context>
<context>
    <name>headroom::ui::BytesEdit</name>
    <message>
        <source>“%1” is not an amount of memory: write 1.5 GiB or 512 MiB.</source>
        <translation>„%1“ ist keine Speichermenge: Schreiben Sie 1,5 GiB oder 512 MiB.</translation>
    </message>
    <message>
        <source>“%1” can mean two amounts: write %2 or %3.</source>
        <extracomment>An amount that two locales read differently: &quot;1.500 GiB&quot; as 1.500 GiB or as 1500 GiB</extracomment>
        <translation>„%1“ kann zweierlei bedeuten: Schreiben Sie %2 oder %3.</translation>
    </message>
</context>
<context>
    <name>headroom::ui::CalculatorState</name>
    <message>
        <source>%1 is no longer in this machine and is left out of the plan.</source>
        <translation>%1 ist nicht mehr in diesem Rechner und fehlt deshalb im Plan.</translation>
    </message>
    <message>
        <source>The KV cache starts as %1, because as F16 the plan would not fit.</source>
        <translation>Für den KV-Cache ist zunächst %1 gewählt, weil der Plan mit F16 nicht passen würde.</translation>
    </message>
    <message>
        <source>%1 has no kernel for a cache of %2, so F16 is planned.</source>
        <translation>%1 hat keinen Kernel für einen Cache in %2, daher ist F16 geplant.</translation>
    </message>
    <message>
        <source>No plan</source>
        <translation>Kein Plan</translation>
    </message>
    <message>
        <source>No model is open.</source>
        <translation>Kein Modell geöffnet.</translation>
    </message>
    <message>
        <source>There is no plan yet.</source>
        <translation>Es gibt noch keinen Plan.</translation>
    </message>
    <message>
        <source>%1 is not in this machine, so there is nothing to load on.</source>
        <translation>%1 ist nicht in diesem Rechner; dorthin lässt sich nichts laden.</translation>
    </message>
    <message>
        <source>The plan does not fit.</source>
        <translation>Der Plan passt nicht.</translation>
    </message>
    <message>
        <source>The plan does not fit; choose a fix, or change a number.</source>
        <translation>Der Plan passt nicht; wählen Sie eine Abhilfe, oder ändern Sie eine Zahl.</translation>
    </message>
    <message>
        <source>The plan does not fit, and no single fix is enough: combine them, or choose another device.</source>
        <translation>Der Plan passt nicht, und keine einzelne Abhilfe reicht: Kombinieren Sie mehrere, oder wählen Sie ein anderes Gerät.</translation>
    </message>
    <message numerus="yes">
        <source>The FFN of %1 layers was asked to be on the CPU; only %n layers are on GPUs, so these are.</source>
        <translation>
            <numerusform>Verlangt war das FFN von %1 Schichten auf der CPU; nur %n Schicht liegt auf GPUs, also ist es diese.</numerusform>
            <numerusform>Verlangt war das FFN von %1 Schichten auf der CPU; nur %n Schichten liegen auf GPUs, also sind es diese.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>headroom::ui::ChatSession</name>
    <message>
        <source>The context is full: all %1 tokens are used, and the answer is not finished.</source>
        <translation>Der Kontext ist voll: Alle %1 Tokens sind belegt, und die Antwort ist nicht fertig.</translation>
    </message>
    <message>
        <source>The oldest turns are themselves too long to be summarised in %1 tokens. Drop them, or plan a larger context.</source>
        <translation>Die ältesten Beiträge sind selbst zu lang, um sie in %1 Tokens zusammenzufassen. Lassen Sie sie weg, oder planen Sie einen größeren Kontext.</translation>
    </message>
    <message>
        <source>This conversation needs at least %1 tokens and the context holds %2.</source>
        <translation>Diese Unterhaltung braucht mindestens %1 Tokens; der Kontext fasst %2.</translation>
    </message>
    <message>
        <source>This conversation needs %1 tokens and the context holds %2.</source>
        <translation>Diese Unterhaltung braucht %1 Tokens; der Kontext fasst %2.</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <extracomment>A device and its id: &quot;llvmpipe (vulkan:0)&quot;</extracomment>
        <translation>%1 (%2)</translation>
    </message>
    <message>
        <source>%1. That happens when a driver is reset or the machine sleeps; the conversation is kept.</source>
        <translation>%1. Das passiert, wenn ein Treiber zurückgesetzt wird oder der Rechner schläft; die Unterhaltung bleibt erhalten.</translation>
    </message>
    <message>
        <source>This file&apos;s chat template cannot be used: %1 The plain form (&quot;role: text&quot; lines) can be used instead; answers may be less good.</source>
        <translation>Die Chat-Vorlage dieser Datei ist nicht nutzbar: %1 Stattdessen ist die einfache Form möglich (Zeilen wie „Rolle: Text“); die Antworten sind dann vielleicht schlechter.</translation>
    </message>
    <message>
        <source>Nothing older is left to drop: the newest message alone fills the context. Shorten it, or plan a larger context.</source>
        <translation>Es gibt nichts Älteres mehr wegzulassen: Die neueste Nachricht füllt allein den Kontext. Kürzen Sie sie, oder planen Sie einen größeren Kontext.</translation>
    </message>
</context>
<context>
    <name>headroom::ui::ChatSides</name>
    <message>
        <source>Width of the conversations</source>
        <translation>Breite der Unterhaltungen</translation>
    </message>
    <message>
        <source>Width of the options</source>
        <translation>Breite der Optionen</translation>
    </message>
</context>
<context>
    <name>headroom::ui::ChatView</name>
    <message>
        <source>Conversation</source>
        <translation>Unterhaltung</translation>
    </message>
    <message>
        <source>&amp;Copy</source>
        <translation>&amp;Kopieren</translation>
    </message>
</context>
<context>
    <name>headroom::ui::ChatWidget</name>
    <message>
        <source>Conversations</source>
        <translation>Unterhaltungen</translation>
    </message>
    <message>
        <source>Options</source>
        <translation>Optionen</translation>
    </message>
    <message>
        <source>Go to the newest text</source>
        <translation>Zum neuesten Text</translation>
    </message>
    <message>
        <source>No model is loaded</source>
        <translation>Kein Modell geladen</translation>
    </message>
    <message>
        <source>Drop a .gguf file on the window, or choose File &gt; Open.</source>
        <translation>Ziehen Sie eine .gguf-Datei auf das Fenster, oder wählen Sie „Datei &gt; Modell öffnen“.</translation>
    </message>
    <message>
        <source>Loading…</source>
        <translation>Wird geladen …</translation>
    </message>
    <message>
        <source>Open, and not loaded yet. Load it in the Memory pane to chat.</source>
        <translation>Geöffnet, aber noch nicht geladen. Laden Sie es unter „Speicher“, um zu chatten.</translation>
    </message>
    <message>
        <source>Opening…</source>
        <translation>Wird geöffnet …</translation>
    </message>
    <message>
        <source>Stopping…</source>
        <translation>Wird angehalten …</translation>
    </message>
    <message>
        <source>Summarising…</source>
        <translation>Wird zusammengefasst …</translation>
    </message>
    <message>
        <source>Reading %1 %</source>
        <translation>%1 % gelesen</translation>
    </message>
    <message>
        <source>Waiting for the model to be loaded…</source>
        <translation>Wartet, bis das Modell geladen ist …</translation>
    </message>
    <message>
        <source>Reading…</source>
        <translation>Wird gelesen …</translation>
    </message>
    <message>
        <source>New conversation</source>
        <translation>Neue Unterhaltung</translation>
    </message>
    <message>
        <source>Attach text or PDF files</source>
        <translation>Text- oder PDF-Dateien anhängen</translation>
    </message>
    <message>
        <source>An answer has no files: %1 was not attached.</source>
        <translation>Eine Antwort hat keine Dateien: %1 wurde nicht angehängt.</translation>
    </message>
    <message>
        <source>Import a conversation</source>
        <translation>Unterhaltung importieren</translation>
    </message>
    <message>
        <source>Conversations (*.json);;All files (*)</source>
        <translation>Unterhaltungen (*.json);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Export the conversation</source>
        <translation>Unterhaltung exportieren</translation>
    </message>
    <message>
        <source>Sent once a model is loaded…</source>
        <translation>Wird gesendet, sobald ein Modell geladen ist …</translation>
    </message>
</context>
<context>
    <name>headroom::ui::CodeRow</name>
    <message>
        <source>Code</source>
        <translation>Code</translation>
    </message>
    <message>
        <source>Code in %1</source>
        <translation>Code in %1</translation>
    </message>
    <message>
        <source>code</source>
        <translation>Code</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <source>Copy this code</source>
        <translation>Diesen Code kopieren</translation>
    </message>
</context>
<context>
    <name>headroom::ui::Composer</name>
    <message>
        <source>Attach…</source>
        <translation>Anhängen …</translation>
    </message>
    <message>
        <source>Add text or PDF files to the message</source>
        <translation>Der Nachricht Text- oder PDF-Dateien beifügen</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Throw away</source>
        <translation>Verwerfen</translation>
    </message>
    <message>
        <source>Keep editing</source>
        <translation>Weiter bearbeiten</translation>
    </message>
    <message>
        <source>Throw away what you changed in this message?</source>
        <translation>Ihre Änderungen an dieser Nachricht verwerfen?</translation>
    </message>
    <message>
        <source>Editing a message that another version hides; sending shows it again.</source>
        <translation>Bearbeitet wird eine Nachricht, die eine andere Fassung verdeckt; nach dem Senden ist sie wieder zu sehen.</translation>
    </message>
    <message>
        <source>Editing this answer; the version before stays.</source>
        <translation>Diese Antwort wird bearbeitet; die bisherige Fassung bleibt.</translation>
    </message>
    <message>
        <source>Editing your message; the version before stays.</source>
        <translation>Ihre Nachricht wird bearbeitet; die bisherige Fassung bleibt.</translation>
    </message>
    <message>
        <source>Esc stops</source>
        <translation>Esc hält an</translation>
    </message>
    <message>
        <source>Reading %1; remove it to send without it</source>
        <translation>%1 wird gelesen; entfernen Sie die Datei, um ohne sie zu senden</translation>
    </message>
    <message>
        <source>With this message %1 of %2 tokens</source>
        <translation>Mit dieser Nachricht %1 von %2 Tokens</translation>
    </message>
    <message>
        <source>Shift+Enter for a new line</source>
        <translation>Umschalt+Enter: neue Zeile</translation>
    </message>
    <message>
        <source>Ctrl+Enter sends</source>
        <translation>Strg+Enter sendet</translation>
    </message>
    <message>
        <source>Plan a larger context…</source>
        <translation>Größeren Kontext planen …</translation>
    </message>
    <message>
        <source>Opens the calculator with a context that would do</source>
        <translation>Öffnet die Speicherplanung mit einem Kontext, der reicht</translation>
    </message>
    <message>
        <source>at least %1</source>
        <translation>mindestens %1</translation>
    </message>
    <message>
        <source>Too long: with this message the model would read %1 tokens, and its context holds %2 with the answer.</source>
        <translation>Zu lang: Mit dieser Nachricht würde das Modell %1 Tokens lesen; sein Kontext fasst %2 samt der Antwort.</translation>
    </message>
    <message>
        <source>Remove a file, attach a part of it, or plan a larger context.</source>
        <translation>Entfernen Sie eine Datei, hängen Sie einen Teil davon an, oder planen Sie einen größeren Kontext.</translation>
    </message>
    <message>
        <source>Shorten it, or plan a larger context.</source>
        <translation>Kürzen Sie sie, oder planen Sie einen größeren Kontext.</translation>
    </message>
    <message>
        <source>Older turns can be left out once it is sent.</source>
        <translation>Ältere Beiträge können nach dem Senden weggelassen werden.</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>Speichern</translation>
    </message>
    <message>
        <source>Send</source>
        <translation>Senden</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Stopp</translation>
    </message>
    <message>
        <source>Stop this answer (Esc)</source>
        <translation>Diese Antwort anhalten (Esc)</translation>
    </message>
    <message>
        <source>Keep this version of the answer; nothing is sent</source>
        <translation>Diese Fassung der Antwort behalten; gesendet wird nichts</translation>
    </message>
    <message>
        <source>Send (Enter)</source>
        <translation>Senden (Enter)</translation>
    </message>
    <message>
        <source>Send (Ctrl+Enter)</source>
        <translation>Senden (Strg+Enter)</translation>
    </message>
    <message>
        <source>Stop this answer</source>
        <translation>Diese Antwort anhalten</translation>
    </message>
    <message>
        <source>Load a model to chat</source>
        <translation>Zum Chatten ein Modell laden</translation>
    </message>
    <message>
        <source>Write a message</source>
        <translation>Nachricht schreiben</translation>
    </message>
    <message>
        <source>Reading %1…</source>
        <translation>%1 wird gelesen …</translation>
    </message>
    <message>
        <source>Open what the model reads of %1</source>
        <translation>Öffnen, was das Modell von %1 liest</translation>
    </message>
    <message>
        <source>Open %1</source>
        <translation>%1 öffnen</translation>
    </message>
    <message>
        <source>Stop reading %1 and leave it out</source>
        <translation>%1 nicht zu Ende lesen und weglassen</translation>
    </message>
    <message>
        <source>Remove %1</source>
        <translation>%1 entfernen</translation>
    </message>
    <message>
        <source>The model is answering</source>
        <translation>Das Modell antwortet</translation>
    </message>
    <message>
        <source>Ready for your message</source>
        <translation>Bereit für Ihre Nachricht</translation>
    </message>
    <message>
        <source>Esc takes it back</source>
        <translation>Esc nimmt sie zurück</translation>
    </message>
    <message>
        <source>Do not send this message (Esc)</source>
        <translation>Diese Nachricht nicht senden (Esc)</translation>
    </message>
    <message>
        <source>Do not send this message</source>
        <translation>Diese Nachricht nicht senden</translation>
    </message>
    <message>
        <source>Your message waits for the model</source>
        <translation>Ihre Nachricht wartet auf das Modell</translation>
    </message>
    <message>
        <source>Take back</source>
        <translation>Zurücknehmen</translation>
    </message>
</context>
<context>
    <name>headroom::ui::ContextGauge</name>
    <message>
        <source>about %1</source>
        <translation>etwa %1</translation>
    </message>
    <message>
        <source>at least %1</source>
        <translation>mindestens %1</translation>
    </message>
    <message>
        <source>Too long · %1 tokens for a context of %2</source>
        <translation>Zu lang · %1 Tokens für einen Kontext von %2</translation>
    </message>
    <message>
        <source>Context %1 % full · %2 of %3 tokens</source>
        <translation>Kontext zu %1 % voll · %2 von %3 Tokens</translation>
    </message>
    <message>
        <source>%1 % · %2</source>
        <translation>%1 % · %2</translation>
    </message>
    <message>
        <source>Estimated from the length of the text; exact after the next answer</source>
        <translation>Aus der Länge des Textes geschätzt; exakt nach der nächsten Antwort</translation>
    </message>
    <message>
        <source>%1 (predicted: %2)</source>
        <extracomment>How fast an answer came, and how fast the plan said it would: &quot;38.2 tokens/s (predicted: 41)&quot;</extracomment>
        <translation>%1 (vorhergesagt: %2)</translation>
    </message>
    <message>
        <source>The last answer came at %1; for its place in the context the plan predicted %2</source>
        <translation>Die letzte Antwort kam mit %1; für ihre Stelle im Kontext sagte der Plan %2 vorher</translation>
    </message>
</context>
<context>
    <name>headroom::ui::ConversationExport</name>
    <message>
        <source>“%1” was not exported: the conversation could not be read.</source>
        <translation>„%1“ wurde nicht exportiert: Die Unterhaltung konnte nicht gelesen werden.</translation>
    </message>
    <message>
        <source>The conversation could not be written to %1: %2.</source>
        <translation>Die Unterhaltung konnte nicht in %1 geschrieben werden: %2.</translation>
    </message>
</context>
<context>
    <name>headroom::ui::ConversationFiles</name>
    <message>
        <source>%1 was not imported. %2</source>
        <translation>%1 wurde nicht importiert. %2</translation>
    </message>
    <message>
        <source>The text could not be written to %1: %2.</source>
        <translation>Der Text konnte nicht in %1 geschrieben werden: %2.</translation>
    </message>
</context>
<context>
    <name>headroom::ui::ConversationList</name>
    <message>
        <source>Conversations</source>
        <translation>Unterhaltungen</translation>
    </message>
    <message>
        <source>Nothing that you write now is kept.</source>
        <translation>Was Sie jetzt schreiben, wird nicht aufbewahrt.</translation>
    </message>
    <message>
        <source>New conversation</source>
        <translation>Neue Unterhaltung</translation>
    </message>
    <message>
        <source>Start a new conversation (Ctrl+N)</source>
        <translation>Eine neue Unterhaltung beginnen (Strg+N)</translation>
    </message>
    <message>
        <source>More</source>
        <translation>Mehr</translation>
    </message>
    <message>
        <source>More for conversations</source>
        <translation>Mehr zu Unterhaltungen</translation>
    </message>
    <message>
        <source>&amp;Import a conversation…</source>
        <translation>Unterhaltung &amp;importieren …</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>Suchen</translation>
    </message>
    <message>
        <source>Search in titles and messages</source>
        <translation>In Titeln und Nachrichten suchen</translation>
    </message>
    <message>
        <source>Deleted</source>
        <translation>Gelöscht</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Rückgängig</translation>
    </message>
    <message>
        <source>What you write is kept here, on this machine.</source>
        <translation>Was Sie schreiben, bleibt hier auf diesem Rechner.</translation>
    </message>
    <message>
        <source>Nothing found</source>
        <translation>Nichts gefunden</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>Umbenennen</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>Öffnen</translation>
    </message>
    <message>
        <source>Take out of the queue</source>
        <translation>Aus der Warteschlange nehmen</translation>
    </message>
    <message>
        <source>Stop answering</source>
        <translation>Antwort anhalten</translation>
    </message>
    <message>
        <source>Unpin</source>
        <translation>Lösen</translation>
    </message>
    <message>
        <source>Pin</source>
        <translation>Anheften</translation>
    </message>
    <message>
        <source>Export as Markdown…</source>
        <translation>Als Markdown exportieren …</translation>
    </message>
    <message>
        <source>Export as JSON…</source>
        <translation>Als JSON exportieren …</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>Löschen</translation>
    </message>
    <message>
        <source>Deleted “%1”</source>
        <translation>„%1“ gelöscht</translation>
    </message>
</context>
<context>
    <name>headroom::ui::ConversationListModel</name>
    <message>
        <source>Waiting: %1 before it</source>
        <translation>Wartet: %1 davor</translation>
    </message>
    <message>
        <source>Answering</source>
        <translation>Antwortet</translation>
    </message>
    <message>
        <source>Answered; not read yet</source>
        <translation>Beantwortet, noch nicht gelesen</translation>
    </message>
    <message>
        <source>Needs your attention</source>
        <translation>Braucht Ihre Aufmerksamkeit</translation>
    </message>
    <message>
        <source>Pinned</source>
        <translation>Angeheftet</translation>
    </message>
    <message>
        <source>Today</source>
        <translation>Heute</translation>
    </message>
    <message>
        <source>Yesterday</source>
        <translation>Gestern</translation>
    </message>
    <message>
        <source>Last 7 days</source>
        <translation>Letzte 7 Tage</translation>
    </message>
    <message>
        <source>Older</source>
        <translation>Älter</translation>
    </message>
    <message>
        <source>Untitled</source>
        <translation>Ohne Titel</translation>
    </message>
    <message>
        <source>Last used %1</source>
        <translation>Zuletzt verwendet: %1</translation>
    </message>
    <message>
        <source>Answered by %1</source>
        <translation>Beantwortet von %1</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <extracomment>A title, and what else is to be said of the conversation: &quot;Recipes, Pinned&quot; or &quot;Recipes, Answering&quot;</extracomment>
        <translation>%1, %2</translation>
    </message>
    <message>
        <source>open</source>
        <translation>geöffnet</translation>
    </message>
</context>
<context>
    <name>headroom::ui::CutRow</name>
    <message>
        <source>Turns above this line are no longer sent to the model.</source>
        <translation>Beiträge über dieser Linie gehen nicht mehr an das Modell.</translation>
    </message>
    <message>
        <source>It reads this summary of them instead: %1</source>
        <translation>Stattdessen liest es diese Zusammenfassung: %1</translation>
    </message>
</context>
<context>
    <name>headroom::ui::DeviceBars</name>
    <message>
        <source>Memory now</source>
        <translation>Speicher jetzt</translation>
    </message>
    <message>
        <source>Memory of %1 now</source>
        <translation>Speicher jetzt: %1</translation>
    </message>
    <message>
        <source>Memory as planned</source>
        <translation>Speicher nach Plan</translation>
    </message>
    <message>
        <source>Memory of %1 as planned</source>
        <translation>Speicher nach Plan: %1</translation>
    </message>
    <message>
        <source>Now: %1 in use</source>
        <translation>Jetzt: %1 belegt</translation>
    </message>
    <message>
        <source> (the system’s figures disagree)</source>
        <translation> (die Angaben des Systems widersprechen sich)</translation>
    </message>
    <message>
        <source>With this plan: %1 in use</source>
        <translation>Mit diesem Plan: %1 belegt</translation>
    </message>
    <message>
        <source>With this plan: %1 needed</source>
        <translation>Mit diesem Plan: %1 nötig</translation>
    </message>
</context>
<context>
    <name>headroom::ui::DeviceList</name>
    <message>
        <source>Add a device</source>
        <translation>Gerät hinzufügen</translation>
    </message>
    <message>
        <source>Plan with one more GPU: one of this machine, or one that you think of buying</source>
        <translation>Mit einer weiteren GPU planen: einer aus diesem Rechner oder einer, die Sie kaufen möchten</translation>
    </message>
    <message>
        <source>Not used in this machine: %1</source>
        <translation>In diesem Rechner nicht genutzt: %1</translation>
    </message>
    <message>
        <source>&amp;Device 1</source>
        <translation>&amp;Gerät 1</translation>
    </message>
    <message>
        <source>&amp;Device</source>
        <translation>&amp;Gerät</translation>
    </message>
    <message>
        <source>Device %1</source>
        <translation>Gerät %1</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>Gerät</translation>
    </message>
    <message>
        <source>Give layers to %1 before the one above</source>
        <translation>Schichten zuerst auf %1, dann auf das Gerät darüber</translation>
    </message>
    <message>
        <source>Plan without %1</source>
        <translation>Ohne %1 planen</translation>
    </message>
    <message>
        <source>Host</source>
        <translation>RAM</translation>
    </message>
    <message>
        <source>Has what is on no device above</source>
        <translation>Hat, was auf keinem Gerät darüber liegt</translation>
    </message>
    <message>
        <source>%1 – %2</source>
        <extracomment>A device and its memory in a list: &quot;RTX 4090 - 24.0 GiB&quot;</extracomment>
        <translation>%1 – %2</translation>
    </message>
</context>
<context>
    <name>headroom::ui::DevicePicker</name>
    <message>
        <source>Computes on the CPU, slower than the CPU by itself: used only when you choose it</source>
        <translation>Rechnet auf der CPU, langsamer als die CPU selbst: nur genutzt, wenn Sie es wählen</translation>
    </message>
    <message>
        <source>Failed its check, and is used only where you choose it: %1</source>
        <translation>Prüfung nicht bestanden, nur genutzt, wo Sie es wählen: %1</translation>
    </message>
    <message>
        <source>Not checked yet: used only where you choose it</source>
        <translation>Noch nicht geprüft: nur genutzt, wo Sie es wählen</translation>
    </message>
    <message>
        <source>%1, computes on the CPU</source>
        <translation>%1, rechnet auf der CPU</translation>
    </message>
    <message>
        <source>%1, failed its check</source>
        <translation>%1, Prüfung nicht bestanden</translation>
    </message>
    <message>
        <source>%1, not checked yet</source>
        <translation>%1, noch nicht geprüft</translation>
    </message>
    <message>
        <source>Would it fit: NVIDIA</source>
        <translation>Würde es passen: NVIDIA</translation>
    </message>
    <message>
        <source>Would it fit: AMD, Intel and others</source>
        <translation>Würde es passen: AMD, Intel und andere</translation>
    </message>
    <message>
        <source>Would it fit: Apple</source>
        <translation>Würde es passen: Apple</translation>
    </message>
    <message>
        <source>Would it fit: host memory</source>
        <translation>Würde es passen: Arbeitsspeicher</translation>
    </message>
    <message>
        <source>Type to find a device</source>
        <translation>Tippen, um ein Gerät zu finden</translation>
    </message>
    <message>
        <source>%1 – %2</source>
        <extracomment>A device and its memory in a list: &quot;RTX 4090 - 24.0 GiB&quot;</extracomment>
        <translation>%1 – %2</translation>
    </message>
    <message>
        <source>In this machine</source>
        <translation>In diesem Rechner</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1, %2</translation>
    </message>
</context>
<context>
    <name>headroom::ui::DevicesPage</name>
    <message>
        <source>In this machine</source>
        <translation>In diesem Rechner</translation>
    </message>
    <message>
        <source>&amp;Check the graphics cards again</source>
        <translation>&amp;Grafikkarten erneut prüfen</translation>
    </message>
    <message>
        <source>Which of them a model uses, and what each is to be left with, is chosen under Memory, for each model by itself.</source>
        <translation>Welche davon ein Modell nutzt und was auf jedem frei bleiben soll, wird unter „Speicher“ gewählt, für jedes Modell einzeln.</translation>
    </message>
</context>
<context>
    <name>headroom::ui::Download</name>
    <message>
        <source>Waits until another download has ended</source>
        <translation>Wartet auf das Ende eines anderen Downloads</translation>
    </message>
    <message>
        <source>Asks whether there is room for it</source>
        <translation>Prüft, ob Platz dafür ist</translation>
    </message>
    <message>
        <source>Is being fetched</source>
        <translation>Wird heruntergeladen</translation>
    </message>
    <message>
        <source>%1. It is tried again in %2</source>
        <translation>%1. Neuer Versuch in %2</translation>
    </message>
    <message>
        <source>Paused</source>
        <translation>Pausiert</translation>
    </message>
    <message>
        <source>Its checksum is compared</source>
        <translation>Prüfsumme wird verglichen</translation>
    </message>
    <message>
        <source>On disk</source>
        <translation>Auf der Platte</translation>
    </message>
</context>
<context>
    <name>headroom::ui::DownloadPanel</name>
    <message>
        <source>For images and sound: no model by itself</source>
        <translation>Für Bild und Ton: allein kein Modell</translation>
    </message>
    <message>
        <source>For making other quantizations: no model</source>
        <translation>Zum Erzeugen anderer Quantisierungen: kein Modell</translation>
    </message>
    <message>
        <source>Parts of it are missing in the repository</source>
        <translation>Im Repository fehlen Teile davon</translation>
    </message>
    <message numerus="yes">
        <source>%n parts</source>
        <translation>
            <numerusform>%n Teil</numerusform>
            <numerusform>%n Teile</numerusform>
        </translation>
    </message>
    <message>
        <source>&amp;Name on Hugging Face, or address</source>
        <translation>&amp;Name bei Hugging Face oder Adresse</translation>
    </message>
    <message>
        <source>Qwen/Qwen3-4B-GGUF</source>
        <translation>Qwen/Qwen3-4B-GGUF</translation>
    </message>
    <message>
        <source>Loo&amp;k</source>
        <translation>Su&amp;chen</translation>
    </message>
    <message>
        <source>&amp;Token…</source>
        <translation>&amp;Zugriffstoken …</translation>
    </message>
    <message>
        <source>For repositories that are private or ask to agree to their terms</source>
        <translation>Für private Repositorys und solche, deren Bedingungen man zustimmen muss</translation>
    </message>
    <message>
        <source>Downloads</source>
        <translation>Downloads</translation>
    </message>
    <message>
        <source>Your t&amp;oken for the hub</source>
        <translation>Ihr Zugriffstoken &amp;für den Hub</translation>
    </message>
    <message>
        <source>&amp;Use it</source>
        <translation>Ver&amp;wenden</translation>
    </message>
    <message>
        <source>This is no token: one line of letters and digits was expected, as in hf_…</source>
        <translation>Das ist kein Zugriffstoken: Erwartet wurde eine Zeile aus Buchstaben und Ziffern wie hf_…</translation>
    </message>
    <message>
        <source>None is known. It is made under huggingface.co/settings/tokens and may be one that reads only; your system&apos;s keyring keeps it</source>
        <translation>Keines bekannt. Erstellt wird es unter huggingface.co/settings/tokens, Leserechte genügen; der Schlüsselbund Ihres Systems bewahrt es auf</translation>
    </message>
    <message>
        <source>Yours is kept by your system&apos;s keyring. Leave the field empty to forget it</source>
        <translation>Ihres liegt im Schlüsselbund Ihres Systems. Lassen Sie das Feld leer, um es zu vergessen</translation>
    </message>
    <message>
        <source>Yours is known until Headroom ends: this system has no keyring that would keep it</source>
        <translation>Ihres ist bekannt, bis Headroom endet: Dieses System hat keinen Schlüsselbund, der es aufbewahren würde</translation>
    </message>
    <message>
        <source>The one in HF_TOKEN is used, for huggingface.co alone</source>
        <translation>Genutzt wird das aus HF_TOKEN, nur für huggingface.co</translation>
    </message>
    <message>
        <source>The one of the hub&apos;s own program is used, for huggingface.co alone</source>
        <translation>Genutzt wird das des Hub-eigenen Programms, nur für huggingface.co</translation>
    </message>
    <message>
        <source>The hub is asked for %1…</source>
        <translation>%1 wird beim Hub abgefragt …</translation>
    </message>
    <message>
        <source>To start with</source>
        <translation>Für den Anfang</translation>
    </message>
    <message>
        <source>%1 · about %2 GiB</source>
        <translation>%1 · etwa %2 GiB</translation>
    </message>
    <message>
        <source>Larger than the memory of this machine</source>
        <translation>Größer als der Speicher dieses Rechners</translation>
    </message>
    <message>
        <source>Look</source>
        <translation>Ansehen</translation>
    </message>
    <message>
        <source>Its header is read…</source>
        <translation>Header wird gelesen …</translation>
    </message>
    <message>
        <source>On disk</source>
        <translation>Auf der Platte</translation>
    </message>
    <message>
        <source>In the list</source>
        <translation>In der Liste</translation>
    </message>
    <message>
        <source>Download</source>
        <translation>Herunterladen</translation>
    </message>
    <message>
        <source>Remove a download</source>
        <translation>Download entfernen</translation>
    </message>
    <message>
        <source>Delete what has come of %1?</source>
        <translation>Löschen, was von %1 schon da ist?</translation>
    </message>
    <message>
        <source>%1 would have to be fetched once more.</source>
        <translation>%1 müssten noch einmal heruntergeladen werden.</translation>
    </message>
    <message>
        <source>&amp;Delete</source>
        <translation>&amp;Löschen</translation>
    </message>
    <message>
        <source>Your system&apos;s keyring has not deleted yours: it is still kept, and the next start finds it again. Press Enter in the empty field to try once more</source>
        <translation>Der Schlüsselbund Ihres Systems hat Ihres nicht gelöscht: Es ist noch aufbewahrt, und der nächste Start findet es wieder. Die Eingabetaste im leeren Feld versucht es noch einmal</translation>
    </message>
</context>
<context>
    <name>headroom::ui::DownloadRow</name>
    <message>
        <source>%1/s</source>
        <translation>%1/s</translation>
    </message>
    <message>
        <source>%1 left</source>
        <translation>noch %1</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>Pause</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Entfernen</translation>
    </message>
    <message>
        <source>Load</source>
        <translation>Laden</translation>
    </message>
    <message>
        <source>Progress of %1</source>
        <translation>Fortschritt von %1</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>Neuer Versuch</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <source>Takes it from this list; the file stays on disk</source>
        <translation>Nimmt ihn aus dieser Liste; die Datei bleibt auf der Platte</translation>
    </message>
    <message>
        <source>Ends it and deletes what has come of it</source>
        <translation>Beendet ihn und löscht, was schon da ist</translation>
    </message>
</context>
<context>
    <name>headroom::ui::DropArea</name>
    <message>
        <source>Drop a model here</source>
        <translation>Modell hier ablegen</translation>
    </message>
    <message>
        <source>Drop a .gguf file, or press Space to choose one</source>
        <translation>.gguf-Datei ablegen oder mit der Leertaste eine wählen</translation>
    </message>
    <message>
        <source>Drop a model here: a .gguf file</source>
        <translation>Modell hier ablegen: eine .gguf-Datei</translation>
    </message>
    <message>
        <source>or click to choose a file; nothing is loaded until you have seen the plan</source>
        <translation>oder zum Auswählen klicken; geladen wird erst, wenn Sie den Plan gesehen haben</translation>
    </message>
</context>
<context>
    <name>headroom::ui::FindBar</name>
    <message>
        <source>Find in this conversation</source>
        <translation>In dieser Unterhaltung suchen</translation>
    </message>
    <message>
        <source>Previous hit</source>
        <translation>Voriger Treffer</translation>
    </message>
    <message>
        <source>Next hit</source>
        <translation>Nächster Treffer</translation>
    </message>
    <message>
        <source>Stop finding</source>
        <translation>Suche beenden</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
    <message>
        <source>Nothing found</source>
        <translation>Nichts gefunden</translation>
    </message>
</context>
<context>
    <name>headroom::ui::FooterRow</name>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <source>Copy this message as it was written</source>
        <translation>Diese Nachricht im Wortlaut kopieren</translation>
    </message>
    <message>
        <source>Edit</source>
        <translation>Bearbeiten</translation>
    </message>
    <message>
        <source>Change this message and send it again; this version stays</source>
        <translation>Diese Nachricht ändern und erneut senden; diese Fassung bleibt</translation>
    </message>
    <message>
        <source>Send again</source>
        <translation>Erneut senden</translation>
    </message>
    <message>
        <source>Ask for an answer</source>
        <translation>Eine Antwort anfordern</translation>
    </message>
    <message>
        <source>Regenerate</source>
        <translation>Neu erzeugen</translation>
    </message>
    <message>
        <source>Write another version of this answer</source>
        <translation>Eine andere Fassung dieser Antwort schreiben</translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>Weiter</translation>
    </message>
    <message>
        <source>Go on from where this answer ends</source>
        <translation>Dort weiterschreiben, wo diese Antwort endet</translation>
    </message>
    <message>
        <source>More</source>
        <translation>Mehr</translation>
    </message>
    <message>
        <source>&amp;Edit this answer</source>
        <translation>Diese Antwort &amp;bearbeiten</translation>
    </message>
    <message>
        <source>&amp;Delete…</source>
        <translation>&amp;Löschen …</translation>
    </message>
    <message>
        <source>Load a model first</source>
        <translation>Zuerst ein Modell laden</translation>
    </message>
    <message>
        <source>The version before</source>
        <translation>Die vorige Fassung</translation>
    </message>
    <message>
        <source>Version %1 of %2</source>
        <translation>Fassung %1 von %2</translation>
    </message>
    <message>
        <source>The next version</source>
        <translation>Die nächste Fassung</translation>
    </message>
    <message numerus="yes">
        <source>%1 tokens</source>
        <translation>
            <numerusform>%1 Token</numerusform>
            <numerusform>%1 Tokens</numerusform>
        </translation>
    </message>
    <message>
        <source>reused %1 of %2 tokens</source>
        <translation>%1 von %2 Tokens wiederverwendet</translation>
    </message>
    <message>
        <source>Reused: the part of the conversation that did not have to be read again for this answer.
Where it is small, an earlier text was changed.</source>
        <translation>Wiederverwendet: der Teil der Unterhaltung, der für diese Antwort nicht erneut gelesen werden musste.
Ist er klein, wurde ein früherer Text geändert.</translation>
    </message>
    <message>
        <source>Seed %1: the same seed, settings and text give the same answer</source>
        <translation>Startwert %1: Gleicher Startwert, gleiche Einstellungen und gleicher Text ergeben die gleiche Antwort</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
</context>
<context>
    <name>headroom::ui::FormulaView</name>
    <message>
        <source>How each number came to be</source>
        <translation>Wie jede Zahl zustande kam</translation>
    </message>
</context>
<context>
    <name>headroom::ui::GeneralPage</name>
    <message>
        <source>At a start</source>
        <translation>Beim Start</translation>
    </message>
    <message>
        <source>With the options that it was loaded with. Without it, Headroom begins with its starter model.</source>
        <translation>Mit den Optionen, mit denen es geladen war. Sonst beginnt Headroom mit seinem Startmodell.</translation>
    </message>
    <message>
        <source>Writing</source>
        <translation>Schreiben</translation>
    </message>
    <message>
        <source>Enter sends, Shift+Enter begins a new line</source>
        <translation>Enter sendet, Umschalt+Enter beginnt eine neue Zeile</translation>
    </message>
    <message>
        <source>Ctrl+Enter sends, Enter begins a new line</source>
        <translation>Strg+Enter sendet, Enter beginnt eine neue Zeile</translation>
    </message>
    <message>
        <source>A &amp;message</source>
        <translation>&amp;Nachricht</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>Sprache</translation>
    </message>
    <message>
        <source>As the system</source>
        <translation>Wie das System</translation>
    </message>
    <message>
        <source>Of the &amp;window</source>
        <translation>Des &amp;Fensters</translation>
    </message>
    <message>
        <source>Load the model that was loaded &amp;last</source>
        <translation>Das zu&amp;letzt geladene Modell laden</translation>
    </message>
    <message>
        <source>Conversations</source>
        <translation>Unterhaltungen</translation>
    </message>
    <message>
        <source>Let the loaded model write their &amp;titles</source>
        <translation>Das geladene Modell die &amp;Titel schreiben lassen</translation>
    </message>
    <message>
        <source>From what was said, while it has nothing to answer. Without it, a conversation is called by its first message. One that you have named keeps its name.</source>
        <translation>Nach dem, was gesagt wurde, solange nichts zu beantworten ist. Sonst heißt eine Unterhaltung nach ihrer ersten Nachricht. Eine, die Sie benannt haben, behält ihren Namen.</translation>
    </message>
</context>
<context>
    <name>headroom::ui::HeaderProbe</name>
    <message>
        <source>The server sends another stretch of %1 than was asked for</source>
        <translation>Der Server sendet einen anderen Abschnitt von %1 als verlangt</translation>
    </message>
    <message>
        <source>The server does not say how long %1 is</source>
        <translation>Der Server sagt nicht, wie lang %1 ist</translation>
    </message>
    <message>
        <source>The server ended %1 too early</source>
        <translation>Der Server hat %1 zu früh beendet</translation>
    </message>
    <message>
        <source>The header of %1 is longer than %2</source>
        <translation>Der Header von %1 ist länger als %2</translation>
    </message>
</context>
<context>
    <name>headroom::ui::HeaderRow</name>
    <message>
        <source>You</source>
        <translation>Sie</translation>
    </message>
    <message>
        <source>Assistant</source>
        <translation>Assistent</translation>
    </message>
    <message>
        <source>Your message</source>
        <translation>Ihre Nachricht</translation>
    </message>
    <message>
        <source>Answer of %1</source>
        <translation>Antwort von %1</translation>
    </message>
</context>
<context>
    <name>headroom::ui::HeadroomEdit</name>
    <message>
        <source>Keep free</source>
        <translation>Frei halten</translation>
    </message>
    <message>
        <source>Use at most</source>
        <translation>Höchstens</translation>
    </message>
    <message>
        <source>Keep this much of the device free, or never use more than this much of it</source>
        <translation>So viel des Geräts frei halten oder nie mehr als so viel davon nutzen</translation>
    </message>
    <message>
        <source>Answers at once</source>
        <translation>Gleichzeitig</translation>
    </message>
    <message>
        <source>What headroom means on %1</source>
        <translation>Was die Reserve für %1 bedeutet</translation>
    </message>
    <message>
        <source>Headroom on %1</source>
        <translation>Reserve für %1</translation>
    </message>
    <message>
        <source>Headroom on %1, exact, in GiB or MiB</source>
        <translation>Reserve für %1, exakt, in GiB oder MiB</translation>
    </message>
</context>
<context>
    <name>headroom::ui::HelpLabel</name>
    <message>
        <source>What is this: %1</source>
        <translation>Was ist das: %1</translation>
    </message>
</context>
<context>
    <name>headroom::ui::HttpGet</name>
    <message>
        <source>%1 sent nothing for %2</source>
        <translation>%1 hat %2 lang nichts gesendet</translation>
    </message>
    <message>
        <source>This system has no OpenSSL 3, without which no address with https can be reached</source>
        <translation>Diesem System fehlt OpenSSL 3; ohne das ist keine https-Adresse erreichbar</translation>
    </message>
    <message>
        <source>%1 sends from one address to another without an end</source>
        <translation>%1 leitet endlos von einer Adresse zur nächsten weiter</translation>
    </message>
    <message>
        <source>%1 sends to what is no address of a server</source>
        <translation>%1 leitet auf etwas weiter, das keine Serveradresse ist</translation>
    </message>
    <message>
        <source>%1 sends to %2 without encryption, which anybody on the way could change</source>
        <translation>%1 leitet ohne Verschlüsselung auf %2 weiter; das könnte jeder unterwegs verändern</translation>
    </message>
    <message>
        <source>%1 answered with what is no HTTP</source>
        <translation>Die Antwort von %1 ist kein HTTP</translation>
    </message>
    <message>
        <source>The connection to %1 broke</source>
        <translation>Die Verbindung zu %1 brach ab</translation>
    </message>
    <message>
        <source>%1 was not found</source>
        <translation>%1 wurde nicht gefunden</translation>
    </message>
    <message>
        <source>%1 takes no connections</source>
        <translation>%1 nimmt keine Verbindungen an</translation>
    </message>
    <message>
        <source>The certificate of %1 was not accepted</source>
        <translation>Das Zertifikat von %1 wurde nicht akzeptiert</translation>
    </message>
    <message>
        <source>%1 cannot be reached</source>
        <translation>%1 ist nicht erreichbar</translation>
    </message>
</context>
<context>
    <name>headroom::ui::HubBrowser</name>
    <message>
        <source>None of its files is called that: here are all of them</source>
        <translation>Keine der Dateien heißt so: Hier sind alle</translation>
    </message>
</context>
<context>
    <name>headroom::ui::HubListing</name>
    <message>
        <source>%1 is not open to your token: the repository is private, or its owner asks you to agree to its terms on its page first</source>
        <translation>%1 steht Ihrem Zugriffstoken nicht offen: Das Repository ist privat, oder sein Besitzer verlangt, dass Sie zuvor auf seiner Seite den Bedingungen zustimmen</translation>
    </message>
    <message>
        <source>%1 needs a token: the repository does not exist, is private, or asks to agree to its terms. Make a token under huggingface.co/settings/tokens and give it below</source>
        <translation>%1 verlangt ein Zugriffstoken: Das Repository gibt es nicht, es ist privat, oder man muss seinen Bedingungen zustimmen. Erstellen Sie ein Token unter huggingface.co/settings/tokens, und geben Sie es unten ein</translation>
    </message>
    <message>
        <source>The hub knows no %1</source>
        <translation>Der Hub kennt %1 nicht</translation>
    </message>
    <message>
        <source>The hub takes no more questions for now (%1)</source>
        <translation>Der Hub nimmt vorerst keine Anfragen mehr an (%1)</translation>
    </message>
    <message>
        <source>The hub answered with status %2 when asked for %1</source>
        <translation>Der Hub antwortete mit Status %2 auf die Anfrage nach %1</translation>
    </message>
    <message>
        <source>%1 does not give this file: it answered with status %2</source>
        <translation>%1 gibt diese Datei nicht heraus: Antwort mit Status %2</translation>
    </message>
    <message>
        <source>The hub&apos;s list of files has no end</source>
        <translation>Die Dateiliste des Hubs nimmt kein Ende</translation>
    </message>
    <message>
        <source>The hub&apos;s list of files goes on at %1, which is another server</source>
        <translation>Die Dateiliste des Hubs geht auf %1 weiter, einem anderen Server</translation>
    </message>
    <message>
        <source>There are no .gguf files in %1. Repositories with them often end in &quot;-GGUF&quot;</source>
        <translation>In %1 gibt es keine .gguf-Dateien. Repositorys mit solchen enden oft auf „-GGUF“</translation>
    </message>
    <message>
        <source>%1. Asking again in %2</source>
        <translation>%1. Neue Anfrage in %2</translation>
    </message>
</context>
<context>
    <name>headroom::ui::LayerStrip</name>
    <message>
        <source>layer %1</source>
        <translation>Schicht %1</translation>
    </message>
    <message>
        <source>layers %1</source>
        <translation>Schichten %1</translation>
    </message>
    <message>
        <source>attention of %1</source>
        <translation>Attention von %1</translation>
    </message>
    <message>
        <source>FFN of %1</source>
        <translation>FFN von %1</translation>
    </message>
    <message>
        <source>head</source>
        <translation>Ausgabe</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <extracomment>A device and what it has: &quot;RTX 4090: layers 4-31, head&quot;</extracomment>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>Where each layer stands</source>
        <translation>Wo jede Schicht liegt</translation>
    </message>
    <message>
        <source>Layers %1 on %2</source>
        <translation>Schichten %1: %2</translation>
    </message>
    <message>
        <source>Layers %1: attention and cache on %2, FFN on %3</source>
        <translation>Schichten %1: Attention und Cache – %2, FFN – %3</translation>
    </message>
</context>
<context>
    <name>headroom::ui::LayersEdit</name>
    <message>
        <source>&amp;GPU layers</source>
        <translation>G&amp;PU-Schichten</translation>
    </message>
    <message>
        <source>How many layers of the model the graphics cards compute; the rest is computed by the CPU from ordinary memory. Each layer on a card makes answers faster, and takes its weights and its share of the KV cache there.</source>
        <translation>Wie viele Schichten des Modells auf den Grafikkarten laufen; den Rest rechnet die CPU aus dem Arbeitsspeicher. Jede Schicht auf einer Karte macht Antworten schneller und braucht dort Platz für ihre Gewichte und ihren Anteil am KV-Cache.</translation>
    </message>
    <message>
        <source>Layers on GPUs</source>
        <translation>Schichten auf GPUs</translation>
    </message>
    <message>
        <source>Layers on GPUs, exact</source>
        <translation>Schichten auf GPUs, exakt</translation>
    </message>
    <message>
        <source>&amp;Auto</source>
        <translation>A&amp;uto</translation>
    </message>
    <message>
        <source>As many layers as fit</source>
        <translation>So viele Schichten, wie passen</translation>
    </message>
    <message>
        <source>As many layers on GPUs as fit</source>
        <translation>So viele Schichten auf GPUs, wie passen</translation>
    </message>
    <message>
        <source>FFN in &amp;RAM</source>
        <translation>FFN im &amp;RAM</translation>
    </message>
    <message>
        <source>Layers whose FFN stays in RAM: the large, simple part of a layer (its feed-forward network, in mixtures the experts) is computed by the CPU, its attention and its cache by the card. That makes room for more layers on the card; each one makes answers a little slower, yet less than a whole layer in RAM does.</source>
        <translation>Schichten, deren FFN im RAM bleibt: Der große, einfache Teil einer Schicht (ihr Feed-Forward-Netz, bei Mixture-of-Experts-Modellen die Experten) wird von der CPU gerechnet, ihre Attention und ihr Cache von der Karte. Das schafft auf der Karte Platz für mehr Schichten; jede Schicht mit FFN im RAM macht Antworten etwas langsamer, aber weniger als eine ganze Schicht im RAM.</translation>
    </message>
    <message>
        <source>Layers on GPUs whose FFN stays on the CPU</source>
        <translation>Schichten auf GPUs, deren FFN auf der CPU bleibt</translation>
    </message>
    <message>
        <source>Layers on GPUs whose FFN stays on the CPU, exact</source>
        <translation>Schichten auf GPUs, deren FFN auf der CPU bleibt, exakt</translation>
    </message>
    <message>
        <source>Au&amp;to</source>
        <translation>Au&amp;to</translation>
    </message>
    <message>
        <source>None, unless the layers are automatic too and this is faster than whole layers on the CPU</source>
        <translation>Keine, außer wenn auch die Schichten auf Auto stehen und dies schneller ist als ganze Schichten auf der CPU</translation>
    </message>
    <message>
        <source>FFN on the CPU where that is faster</source>
        <translation>FFN auf der CPU, wo das schneller ist</translation>
    </message>
    <message>
        <source>%1 of %2 layers on GPUs</source>
        <translation>%1 von %2 Schichten auf GPUs</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <extracomment>What a choice means, and how fast that is: &quot;12 of 32 layers on GPUs: about 23 tokens/s&quot;
----------
What a position of a slider means, and how fast that is</extracomment>
        <translation>%1: %2</translation>
    </message>
    <message numerus="yes">
        <source>%n layers on GPUs</source>
        <translation>
            <numerusform>%n Schicht auf GPUs</numerusform>
            <numerusform>%n Schichten auf GPUs</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>FFN of %n layers on the CPU</source>
        <translation>
            <numerusform>FFN von %n Schicht auf der CPU</numerusform>
            <numerusform>FFN von %n Schichten auf der CPU</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>headroom::ui::LegendModel</name>
    <message>
        <source>%1 of it nobody holds: the driver does not offer it.</source>
        <translation>%1 davon belegt niemand: Der Treiber bietet sie nicht an.</translation>
    </message>
    <message>
        <source>not known</source>
        <translation>unbekannt</translation>
    </message>
    <message>
        <source>Segment</source>
        <translation>Segment</translation>
    </message>
    <message>
        <source>Now</source>
        <translation>Jetzt</translation>
    </message>
    <message>
        <source>Plan</source>
        <translation>Plan</translation>
    </message>
</context>
<context>
    <name>headroom::ui::LibraryFoldersDialog</name>
    <message>
        <source>Add a folder of models</source>
        <translation>Modellordner hinzufügen</translation>
    </message>
    <message>
        <source>Folders of the library</source>
        <translation>Ordner der Bibliothek</translation>
    </message>
    <message>
        <source>Your folders</source>
        <translation>Ihre Ordner</translation>
    </message>
    <message>
        <source>Add…</source>
        <translation>Hinzufügen …</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Entfernen</translation>
    </message>
    <message>
        <source>Look there no more; no file is touched</source>
        <translation>Dort nicht mehr suchen; Dateien werden nicht angerührt</translation>
    </message>
    <message>
        <source>What other programs have fetched</source>
        <translation>Was andere Programme heruntergeladen haben</translation>
    </message>
    <message>
        <source>Downloads go to</source>
        <translation>Ordner für Downloads</translation>
    </message>
    <message>
        <source>Change…</source>
        <translation>Ändern …</translation>
    </message>
    <message>
        <source>Use the usual one</source>
        <translation>Üblichen Ordner nutzen</translation>
    </message>
    <message>
        <source>not looked for</source>
        <translation>wird nicht gesucht</translation>
    </message>
    <message>
        <source>%1 (cannot be read by this user)</source>
        <translation>%1 (für diesen Benutzer nicht lesbar)</translation>
    </message>
    <message>
        <source>not found</source>
        <translation>nicht gefunden</translation>
    </message>
    <message>
        <source>looking…</source>
        <translation>wird gesucht …</translation>
    </message>
    <message>
        <source>Where downloads go</source>
        <translation>Wohin Downloads kommen</translation>
    </message>
</context>
<context>
    <name>headroom::ui::LibraryModel</name>
    <message>
        <source>Loaded</source>
        <translation>Geladen</translation>
    </message>
</context>
<context>
    <name>headroom::ui::LibraryPage</name>
    <message>
        <source>%1: %2 cannot be read by this user.</source>
        <translation>%1: %2 ist für diesen Benutzer nicht lesbar.</translation>
    </message>
    <message>
        <source>Folder offline: %1 cannot be reached.</source>
        <translation>Ordner offline: %1 ist nicht erreichbar.</translation>
    </message>
    <message numerus="yes">
        <source>Its %n models come back with it.</source>
        <translation>
            <numerusform>Mit ihm kommt %n Modell zurück.</numerusform>
            <numerusform>Mit ihm kommen %n Modelle zurück.</numerusform>
        </translation>
    </message>
    <message>
        <source>Places of the library</source>
        <translation>Orte der Bibliothek</translation>
    </message>
    <message>
        <source>On this machine</source>
        <translation>Auf diesem Rechner</translation>
    </message>
    <message>
        <source>Library</source>
        <translation>Bibliothek</translation>
    </message>
    <message>
        <source>Folders…</source>
        <translation>Ordner …</translation>
    </message>
    <message>
        <source>Where models are looked for</source>
        <translation>Wo nach Modellen gesucht wird</translation>
    </message>
    <message>
        <source>Back to chat</source>
        <translation>Zurück zum Chat</translation>
    </message>
    <message>
        <source>Back to the conversation (Esc)</source>
        <translation>Zurück zur Unterhaltung (Esc)</translation>
    </message>
    <message>
        <source>Search by name, architecture or quantization</source>
        <translation>Nach Name, Architektur oder Quantisierung suchen</translation>
    </message>
    <message>
        <source>Search models</source>
        <translation>Modelle suchen</translation>
    </message>
    <message>
        <source>Order of models</source>
        <translation>Reihenfolge der Modelle</translation>
    </message>
    <message>
        <source>By name</source>
        <translation>Nach Name</translation>
    </message>
    <message>
        <source>Fastest first</source>
        <translation>Schnellste zuerst</translation>
    </message>
    <message>
        <source>Largest first</source>
        <translation>Größte zuerst</translation>
    </message>
    <message>
        <source>Newest first</source>
        <translation>Neueste zuerst</translation>
    </message>
    <message>
        <source>Models on this machine</source>
        <translation>Modelle auf diesem Rechner</translation>
    </message>
    <message>
        <source>Add a folder…</source>
        <translation>Ordner hinzufügen …</translation>
    </message>
    <message>
        <source>Download a model</source>
        <translation>Modell herunterladen</translation>
    </message>
    <message>
        <source>Show plan</source>
        <translation>Plan zeigen</translation>
    </message>
    <message>
        <source>Open it and show what it would take; nothing is loaded yet</source>
        <translation>Öffnen und zeigen, was es belegen würde; geladen wird noch nichts</translation>
    </message>
    <message>
        <source>Load</source>
        <translation>Laden</translation>
    </message>
    <message>
        <source>Load it, with the options that it had last (Enter)</source>
        <translation>Laden, mit den zuletzt benutzten Optionen (Enter)</translation>
    </message>
    <message>
        <source>%1 was moved to the trash</source>
        <translation>%1 wurde in den Papierkorb verschoben</translation>
    </message>
    <message>
        <source>Download</source>
        <translation>Herunterladen</translation>
    </message>
    <message numerus="yes">
        <source>%n models</source>
        <translation>
            <numerusform>%n Modell</numerusform>
            <numerusform>%n Modelle</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
    <message>
        <source>Looking for models…</source>
        <translation>Modelle werden gesucht …</translation>
    </message>
    <message>
        <source>No models yet</source>
        <translation>Noch keine Modelle</translation>
    </message>
    <message>
        <source>Nothing found</source>
        <translation>Nichts gefunden</translation>
    </message>
    <message>
        <source>Add a folder that holds .gguf files, or put some into %1.</source>
        <translation>Fügen Sie einen Ordner mit .gguf-Dateien hinzu, oder legen Sie welche in %1 ab.</translation>
    </message>
    <message>
        <source>No model has all these words.</source>
        <translation>Kein Modell enthält alle diese Wörter.</translation>
    </message>
    <message>
        <source>Loaded</source>
        <translation>Geladen</translation>
    </message>
    <message>
        <source>Show in folder</source>
        <translation>Im Ordner zeigen</translation>
    </message>
    <message>
        <source>Copy path</source>
        <translation>Pfad kopieren</translation>
    </message>
    <message>
        <source>Move to trash…</source>
        <translation>In den Papierkorb …</translation>
    </message>
    <message numerus="yes">
        <source>Move %1 to the trash? Its %n files have %2.</source>
        <translation>
            <numerusform>%1 in den Papierkorb verschieben (%n Datei, %2)?</numerusform>
            <numerusform>%1 in den Papierkorb verschieben (%n Dateien, %2)?</numerusform>
        </translation>
    </message>
    <message>
        <source>Move to trash</source>
        <translation>In den Papierkorb</translation>
    </message>
</context>
<context>
    <name>headroom::ui::LibraryRowDelegate</name>
    <message>
        <source>Loaded</source>
        <translation>Geladen</translation>
    </message>
</context>
<context>
    <name>headroom::ui::MainWindow</name>
    <message>
        <source>Headroom</source>
        <translation>Headroom</translation>
    </message>
    <message>
        <source>Library</source>
        <translation>Bibliothek</translation>
    </message>
    <message>
        <source>The models on this machine, and whether they fit</source>
        <translation>Die Modelle auf diesem Rechner und ob sie passen</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>VRAM</source>
        <translation>VRAM</translation>
    </message>
    <message>
        <source>Header</source>
        <translation>Kopfleiste</translation>
    </message>
    <message>
        <source>Open a model</source>
        <translation>Modell öffnen</translation>
    </message>
    <message>
        <source>Models (*.gguf);;All files (*)</source>
        <translation>Modelle (*.gguf);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Memory in use</source>
        <translation>Speicherbelegung</translation>
    </message>
    <message>
        <source>Loaded: %1</source>
        <translation>Geladen: %1</translation>
    </message>
    <message>
        <source>Nothing is loaded</source>
        <translation>Nichts geladen</translation>
    </message>
    <message>
        <source>Taken since load: %1</source>
        <translation>Belegt seit dem Laden: %1</translation>
    </message>
    <message>
        <source>%1 – Headroom</source>
        <translation>%1 – Headroom</translation>
    </message>
    <message>
        <source>The chart could not be written to “%1”: %2.</source>
        <translation>Das Diagramm konnte nicht in „%1“ geschrieben werden: %2.</translation>
    </message>
</context>
<context>
    <name>headroom::ui::MemoryChip</name>
    <message>
        <source>Show or hide the Memory pane</source>
        <translation>Bereich „Speicher“ ein- oder ausblenden</translation>
    </message>
    <message>
        <source>Memory: %1</source>
        <translation>Speicher: %1</translation>
    </message>
</context>
<context>
    <name>headroom::ui::MemoryPanel</name>
    <message>
        <source>Every segment of the plan</source>
        <translation>Jedes Segment des Plans</translation>
    </message>
    <message>
        <source>Segments</source>
        <translation>Segmente</translation>
    </message>
    <message>
        <source>Formulas</source>
        <translation>Formeln</translation>
    </message>
    <message>
        <source>Planned and mapped</source>
        <translation>Geplant und belegt</translation>
    </message>
    <message>
        <source>Planned and mapped bytes of each arena</source>
        <translation>Geplante und belegte Bytes jeder Arena</translation>
    </message>
    <message>
        <source>Nothing is loaded yet: planned and mapped bytes stand here side by side after a load.</source>
        <translation>Noch ist nichts geladen: Nach dem Laden stehen hier geplante und belegte Bytes nebeneinander.</translation>
    </message>
    <message>
        <source>Beside these arenas, tokenizer and tables hold %1 of ordinary memory (measured). Taken since load: %2</source>
        <translation>Neben diesen Arenen belegen Tokenizer und Tabellen %1 Arbeitsspeicher (gemessen). Belegt seit dem Laden: %2</translation>
    </message>
</context>
<context>
    <name>headroom::ui::MessageBar</name>
    <message>
        <source>Message</source>
        <translation>Meldung</translation>
    </message>
    <message>
        <source>Dismiss this message</source>
        <translation>Diese Meldung schließen</translation>
    </message>
    <message>
        <source>Dismiss message</source>
        <translation>Meldung schließen</translation>
    </message>
    <message numerus="yes">
        <source>%n more</source>
        <translation>
            <numerusform>%n weitere</numerusform>
            <numerusform>%n weitere</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>headroom::ui::MessageEdit</name>
    <message>
        <source>Your message</source>
        <translation>Ihre Nachricht</translation>
    </message>
</context>
<context>
    <name>headroom::ui::ModelButton</name>
    <message>
        <source>Choose a model</source>
        <translation>Modell wählen</translation>
    </message>
    <message>
        <source>Recent models, and others</source>
        <translation>Zuletzt verwendete Modelle und andere</translation>
    </message>
    <message>
        <source>Model: %1</source>
        <translation>Modell: %1</translation>
    </message>
    <message>
        <source>The starter model</source>
        <translation>Das Startmodell</translation>
    </message>
    <message>
        <source>&amp;Open another…</source>
        <translation>&amp;Anderes öffnen …</translation>
    </message>
    <message>
        <source>&amp;Close this model</source>
        <translation>Dieses Modell s&amp;chließen</translation>
    </message>
</context>
<context>
    <name>headroom::ui::ModelCard</name>
    <message>
        <source>context %1</source>
        <translation>Kontext %1</translation>
    </message>
    <message>
        <source>context not stated</source>
        <translation>Kontext nicht angegeben</translation>
    </message>
    <message>
        <source>The context is what the model was trained with</source>
        <translation>Der Kontext ist der, mit dem das Modell trainiert wurde</translation>
    </message>
    <message>
        <source>%1 parameters</source>
        <translation>%1 Parameter</translation>
    </message>
    <message>
        <source>Weights: %1</source>
        <translation>Gewichte: %1</translation>
    </message>
    <message>
        <source>The built-in guide: it answers questions about memory and this app, and is not a general assistant.</source>
        <translation>Der eingebaute Ratgeber: beantwortet Fragen zu Speicher und zu dieser App und ist kein allgemeiner Assistent.</translation>
    </message>
    <message>
        <source>Model %1</source>
        <translation>Modell %1</translation>
    </message>
    <message numerus="yes">
        <source>%n layers</source>
        <translation>
            <numerusform>%n Schicht</numerusform>
            <numerusform>%n Schichten</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>headroom::ui::ModelController</name>
    <message>
        <source>Loading was cancelled; its memory is given back.</source>
        <translation>Das Laden wurde abgebrochen; der Speicher ist wieder frei.</translation>
    </message>
    <message>
        <source>Closed; its memory is given back.</source>
        <translation>Geschlossen; der Speicher ist wieder frei.</translation>
    </message>
    <message>
        <source>Reading the header of %1…</source>
        <translation>Header von %1 wird gelesen …</translation>
    </message>
    <message>
        <source>This copy came without its starter model; open a .gguf file to begin.</source>
        <translation>Dieser Kopie fehlt das Startmodell; öffnen Sie zu Beginn eine .gguf-Datei.</translation>
    </message>
    <message>
        <source>%1 is open; nothing of it is loaded yet</source>
        <translation>%1 ist geöffnet; geladen ist davon noch nichts</translation>
    </message>
    <message>
        <source>%1 was loaded when Headroom ended, and cannot be opened now. The starter model is loaded in its place.</source>
        <translation>%1 war beim Beenden von Headroom geladen und lässt sich jetzt nicht öffnen. Stattdessen ist das Startmodell geladen.</translation>
    </message>
    <message>
        <source>%1 was loaded when Headroom ended, and cannot be opened now.</source>
        <translation>%1 war beim Beenden von Headroom geladen und lässt sich jetzt nicht öffnen.</translation>
    </message>
    <message>
        <source>Headroom ended while it was loading %1, so this time it is only open. Load tries again.</source>
        <translation>Headroom endete, während es %1 lud; deshalb ist es diesmal nur geöffnet. „Laden“ versucht es erneut.</translation>
    </message>
    <message>
        <source>%1 was loaded when Headroom ended, and cannot be loaded as it was.</source>
        <translation>%1 war beim Beenden von Headroom geladen und lässt sich nicht mehr so laden.</translation>
    </message>
    <message>
        <source>Giving its memory back…</source>
        <translation>Der Speicher wird freigegeben …</translation>
    </message>
    <message>
        <source>Closed.</source>
        <translation>Geschlossen.</translation>
    </message>
    <message>
        <source>%1 is loaded already.</source>
        <translation>%1 ist schon geladen.</translation>
    </message>
</context>
<context>
    <name>headroom::ui::ModelLibrary</name>
    <message>
        <source>%1 could not be moved to the trash of its disk.</source>
        <translation>%1 konnte nicht in den Papierkorb der Platte verschoben werden.</translation>
    </message>
    <message>
        <source>%1 could not be moved to the trash of its disk as a whole. In the trash are: %2.</source>
        <translation>%1 konnte nicht als Ganzes in den Papierkorb der Platte verschoben werden. Im Papierkorb sind: %2.</translation>
    </message>
</context>
<context>
    <name>headroom::ui::ModelsPage</name>
    <message>
        <source>On this machine</source>
        <translation>Auf diesem Rechner</translation>
    </message>
    <message>
        <source>The library looks into your own folders, into what other programs have fetched, and into the folder of downloads.</source>
        <translation>Die Bibliothek schaut in Ihre eigenen Ordner, in das, was andere Programme heruntergeladen haben, und in den Ordner der Downloads.</translation>
    </message>
    <message>
        <source>&amp;Folders…</source>
        <translation>&amp;Ordner …</translation>
    </message>
    <message>
        <source>Downloads</source>
        <translation>Downloads</translation>
    </message>
    <message>
        <source>&amp;Mirror</source>
        <translation>&amp;Spiegelserver</translation>
    </message>
    <message>
        <source>Models are looked for at this address, where one is given, with the same names.</source>
        <translation>Ist hier eine Adresse angegeben, werden Modelle dort gesucht, unter denselben Namen.</translation>
    </message>
    <message>
        <source>This is no address of a server: one that begins with https:// was expected.</source>
        <translation>Das ist keine Serveradresse: Erwartet wurde eine, die mit https:// beginnt.</translation>
    </message>
</context>
<context>
    <name>headroom::ui::NamedChoice</name>
    <message>
        <source>Save…</source>
        <translation>Speichern …</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>Löschen</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>Name (that one is built in)</source>
        <translation>Name (dieser ist eingebaut)</translation>
    </message>
    <message>
        <source>Name (replaces yours of this name)</source>
        <translation>Name (ersetzt Ihren gleichnamigen Eintrag)</translation>
    </message>
</context>
<context>
    <name>headroom::ui::OptionsForm</name>
    <message>
        <source>Context length, in steps</source>
        <translation>Kontextlänge, in Schritten</translation>
    </message>
    <message>
        <source>Context length, exact</source>
        <translation>Kontextlänge, exakt</translation>
    </message>
    <message>
        <source>&amp;Context</source>
        <translation>&amp;Kontext</translation>
    </message>
    <message>
        <source>How much the model can look back on: your messages, its answers and what you attach, counted in tokens (about three quarters of a word each). A longer context takes more memory, all of it reserved when the model is loaded (the KV cache), and answers become slower the more of it is used.</source>
        <translation>Wie weit das Modell zurückblicken kann: auf Ihre Nachrichten, seine Antworten und Ihre Anhänge, gezählt in Tokens (ein Token ist etwa drei Viertel eines Wortes). Ein längerer Kontext braucht mehr Speicher, der ganz beim Laden reserviert wird (der KV-Cache), und Antworten werden langsamer, je mehr davon benutzt ist.</translation>
    </message>
    <message>
        <source>Batch, in tokens</source>
        <translation>Batch, in Tokens</translation>
    </message>
    <message>
        <source>&amp;Batch</source>
        <translation>&amp;Batch</translation>
    </message>
    <message>
        <source>How many tokens of what you send are read in one step. More is faster up to a point, for long messages and attachments alone, and takes more working memory (activations). Answers are as fast with any.</source>
        <translation>Wie viele Tokens Ihrer Eingabe in einem Schritt gelesen werden. Mehr ist bis zu einem gewissen Punkt schneller, aber nur bei langen Nachrichten und Anhängen, und braucht mehr Speicher zum Rechnen (Aktivierungen). Antworten sind mit jedem Wert gleich schnell.</translation>
    </message>
    <message>
        <source>What reading so many tokens in one step takes</source>
        <translation>Was es braucht, so viele Tokens in einem Schritt zu lesen</translation>
    </message>
    <message>
        <source>Aut&amp;o</source>
        <translation>Aut&amp;o</translation>
    </message>
    <message>
        <source>Batch that is fastest and fits</source>
        <translation>Batch, der am schnellsten ist und passt</translation>
    </message>
    <message>
        <source>256, or as many more as a GPU has room for and reads prompts faster with</source>
        <translation>256, auf einer GPU auch mehr, wo Platz ist und Prompts damit schneller gelesen werden</translation>
    </message>
    <message>
        <source>Number format of the cached keys</source>
        <translation>Zahlenformat der Keys im Cache</translation>
    </message>
    <message>
        <source>Number format of the cached values</source>
        <translation>Zahlenformat der Values im Cache</translation>
    </message>
    <message>
        <source>&amp;Keys as</source>
        <translation>Ke&amp;ys als</translation>
    </message>
    <message>
        <source>How exactly the model keeps what it has read (the number format of the KV cache, keys and values). F16 changes nothing. Q8 and FP8 take half the memory, with a loss that can hardly be measured. Q4 takes a quarter, and answers get worse.</source>
        <translation>Wie genau das Modell behält, was es gelesen hat (das Zahlenformat des KV-Caches, Keys und Values). F16 ändert nichts. Q8 und FP8 brauchen halb so viel Speicher, mit kaum messbarem Verlust. Q4 braucht ein Viertel, und Antworten werden schlechter.</translation>
    </message>
    <message>
        <source>Val&amp;ues as</source>
        <translation>&amp;Values als</translation>
    </message>
    <message>
        <source>Answers at once</source>
        <translation>Antworten zugleich</translation>
    </message>
    <message>
        <source>Ans&amp;wers at once</source>
        <translation>Gl&amp;eichzeitig</translation>
    </message>
    <message>
        <source>How many conversations are answered side by side; further ones wait for their turn. Each takes the memory of a whole context (a KV cache of its own). Together they are faster than one after the other, each alone is a little slower.</source>
        <translation>Wie viele Unterhaltungen gleichzeitig beantwortet werden; weitere warten, bis sie an der Reihe sind. Jede braucht den Speicher eines ganzen Kontexts (einen eigenen KV-Cache). Gemeinsam sind sie schneller als nacheinander, jede für sich etwas langsamer.</translation>
    </message>
    <message>
        <source>What the KV caches of all of them take</source>
        <translation>Was die KV-Caches von allen zusammen brauchen</translation>
    </message>
    <message>
        <source>Checkpoints of each conversation</source>
        <translation>Checkpoints je Unterhaltung</translation>
    </message>
    <message>
        <source>Checkpo&amp;ints</source>
        <translation>Checkpo&amp;ints</translation>
    </message>
    <message>
        <source>This model cannot go back by itself, so copies of its state are kept at the borders of messages. An answer that is generated again, or a message that you change, goes on from the nearest one and reads only what follows. More of them save time after a change, and take memory.</source>
        <translation>Dieses Modell kann nicht von sich aus zurückspringen; deshalb werden an den Grenzen von Nachrichten Kopien seines Zustands aufbewahrt. Wird eine Antwort neu erzeugt oder eine Nachricht geändert, geht es von der nächstgelegenen Kopie aus weiter und liest nur, was folgt. Mehr davon sparen nach einer Änderung Zeit und kosten Speicher.</translation>
    </message>
    <message>
        <source>What the checkpoints take</source>
        <translation>Was die Checkpoints brauchen</translation>
    </message>
    <message>
        <source>Auto</source>
        <translation>Auto</translation>
    </message>
    <message>
        <source>As many checkpoints as there is room for</source>
        <translation>So viele Checkpoints, wie Platz haben</translation>
    </message>
    <message>
        <source>At least 2 where the model has states, more in an eighth of what is left free</source>
        <translation>Mindestens 2, wo das Modell Zustände hat, und mehr in einem Achtel dessen, was frei bleibt</translation>
    </message>
    <message>
        <source>Longest conte&amp;xt</source>
        <translation>Längster Konte&amp;xt</translation>
    </message>
    <message>
        <source>Longest context that fits</source>
        <translation>Längster passender Kontext</translation>
    </message>
    <message>
        <source>The exact largest context that fits, with everything else as it stands</source>
        <translation>Der exakt größte Kontext, der passt, wenn alles andere bleibt</translation>
    </message>
    <message>
        <source>Lowest lo&amp;ss</source>
        <translation>Geringster Verlu&amp;st</translation>
    </message>
    <message>
        <source>Lowest loss that fits</source>
        <translation>Geringster passender Verlust</translation>
    </message>
    <message>
        <source>The number formats of the cache that change least and fit, with everything else as it stands</source>
        <translation>Die Zahlenformate des Caches, die am wenigsten ändern und passen, wenn alles andere bleibt</translation>
    </message>
    <message>
        <source>&amp;Most layers</source>
        <translation>&amp;Meiste Schichten</translation>
    </message>
    <message>
        <source>Most layers that fit</source>
        <translation>Meiste passende Schichten</translation>
    </message>
    <message>
        <source>The most layers that fit on the GPUs, with everything else as it stands</source>
        <translation>Die meisten Schichten, die auf die GPUs passen, wenn alles andere bleibt</translation>
    </message>
    <message>
        <source>Find what fits:</source>
        <translation>Passendes finden:</translation>
    </message>
    <message>
        <source>As planned by Headroom</source>
        <translation>Wie von Headroom geplant</translation>
    </message>
    <message>
        <source>Forgets what was changed for this model, devices too, and plans it anew</source>
        <translation>Vergisst, was für dieses Modell geändert wurde, auch die Geräte, und plant es neu</translation>
    </message>
</context>
<context>
    <name>headroom::ui::PrivacyPage</name>
    <message>
        <source>What leaves this machine</source>
        <translation>Was diesen Rechner verlässt</translation>
    </message>
    <message>
        <source>Nothing, unless you ask for it. Models run here, and conversations stay here. Headroom sends no reports and looks for no updates; only what you look for to download, and the download, goes out.</source>
        <translation>Nichts, solange Sie es nicht verlangen. Modelle laufen hier, und Unterhaltungen bleiben hier. Headroom sendet keine Berichte und sucht keine Updates; nach außen gehen nur Ihre Suchen nach Modellen zum Herunterladen und die Downloads selbst.</translation>
    </message>
    <message>
        <source>What is kept here</source>
        <translation>Was hier aufbewahrt wird</translation>
    </message>
    <message>
        <source>Conversations, settings, measured speeds and the checks of graphics cards are kept in %1</source>
        <translation>Unterhaltungen, Einstellungen, gemessene Geschwindigkeiten und die Prüfungen der Grafikkarten liegen in %1</translation>
    </message>
    <message>
        <source>&amp;Show this folder</source>
        <translation>Diesen Ordner &amp;zeigen</translation>
    </message>
    <message>
        <source>Forget</source>
        <translation>Vergessen</translation>
    </message>
    <message>
        <source>Forget recent &amp;files</source>
        <translation>&amp;Dateien vergessen</translation>
    </message>
    <message>
        <source>Forget the &amp;options of models</source>
        <translation>&amp;Optionen der Modelle vergessen</translation>
    </message>
    <message>
        <source>Recent files: %1</source>
        <translation>Zuletzt verwendete Dateien: %1</translation>
    </message>
    <message>
        <source>Models whose options you chose: %1</source>
        <translation>Modelle mit von Ihnen gewählten Optionen: %1</translation>
    </message>
</context>
<context>
    <name>headroom::ui::ProseRow</name>
    <message>
        <source>What the model thought</source>
        <translation>Was das Modell gedacht hat</translation>
    </message>
    <message>
        <source>Text of the message</source>
        <translation>Text der Nachricht</translation>
    </message>
</context>
<context>
    <name>headroom::ui::RegionDialog</name>
    <message>
        <source>%1 on %2</source>
        <extracomment>A segment and its device: &quot;Weights on RTX 4090&quot;</extracomment>
        <translation>%1 – %2</translation>
    </message>
    <message numerus="yes">
        <source>%1 in %2 regions. %3</source>
        <translation>
            <numerusform>%1 in %2 Bereich. %3</numerusform>
            <numerusform>%1 in %2 Bereichen. %3</numerusform>
        </translation>
    </message>
    <message>
        <source>Filter by name</source>
        <translation>Nach Name filtern</translation>
    </message>
    <message>
        <source>Regions of this segment</source>
        <translation>Bereiche dieses Segments</translation>
    </message>
</context>
<context>
    <name>headroom::ui::RegionTableModel</name>
    <message>
        <source>%1
%2 at offset %3</source>
        <translation>%1
%2 ab Position %3</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>Layer</source>
        <translation>Schicht</translation>
    </message>
    <message>
        <source>Type</source>
        <translation>Typ</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>Gerät</translation>
    </message>
    <message>
        <source>Bytes</source>
        <translation>Bytes</translation>
    </message>
</context>
<context>
    <name>headroom::ui::SamplerPanel</name>
    <message>
        <source>Precise</source>
        <translation>Präzise</translation>
    </message>
    <message>
        <source>Balanced</source>
        <translation>Ausgewogen</translation>
    </message>
    <message>
        <source>Creative</source>
        <translation>Kreativ</translation>
    </message>
    <message>
        <source>None</source>
        <translation>Keiner</translation>
    </message>
    <message>
        <source>Short answers</source>
        <translation>Kurze Antworten</translation>
    </message>
    <message>
        <source>Answer in as few words as the question allows. Give no introduction and no summary.</source>
        <translation>Antworte mit so wenigen Worten, wie die Frage erlaubt. Ohne Einleitung und ohne Zusammenfassung.</translation>
    </message>
    <message>
        <source>Step by step</source>
        <translation>Schritt für Schritt</translation>
    </message>
    <message>
        <source>Explain step by step, from what a newcomer knows. Say which steps you are not sure of.</source>
        <translation>Erkläre Schritt für Schritt, ausgehend von dem, was ein Neuling weiß. Sage, bei welchen Schritten du unsicher bist.</translation>
    </message>
    <message>
        <source>Code review</source>
        <translation>Code-Review</translation>
    </message>
    <message>
        <source>Review the code that you are given: what is wrong, what is unclear, and how you would write it. Faults first, taste last.</source>
        <translation>Begutachte den Code, den du bekommst: was falsch ist, was unklar ist und wie du es schreiben würdest. Fehler zuerst, Geschmack zuletzt.</translation>
    </message>
    <message>
        <source>Sampling</source>
        <translation>Sampling</translation>
    </message>
    <message>
        <source>Temperature</source>
        <translation>Temperatur</translation>
    </message>
    <message>
        <source>Higher is more varied; 0 always takes the likeliest token</source>
        <translation>Höher ist abwechslungsreicher; 0 nimmt immer das wahrscheinlichste Token</translation>
    </message>
    <message>
        <source>Top-k</source>
        <translation>Top-k</translation>
    </message>
    <message>
        <source>Choose among this many likeliest tokens</source>
        <translation>Unter so vielen der wahrscheinlichsten Tokens wählen</translation>
    </message>
    <message>
        <source>off</source>
        <translation>aus</translation>
    </message>
    <message>
        <source>Top-p</source>
        <translation>Top-p</translation>
    </message>
    <message>
        <source>Choose among the likeliest tokens that together have this probability; 1 is off</source>
        <translation>Unter den wahrscheinlichsten Tokens wählen, die zusammen diese Wahrscheinlichkeit haben; 1 ist aus</translation>
    </message>
    <message>
        <source>Min-p</source>
        <translation>Min-p</translation>
    </message>
    <message>
        <source>Leave out tokens less likely than this share of the likeliest; 0 is off</source>
        <translation>Tokens weglassen, die unwahrscheinlicher sind als dieser Anteil des wahrscheinlichsten; 0 ist aus</translation>
    </message>
    <message>
        <source>Repetition penalty</source>
        <translation>Wiederholungsstrafe</translation>
    </message>
    <message>
        <source>Above 1, tokens of the last lines become less likely</source>
        <translation>Über 1 werden Tokens der letzten Zeilen unwahrscheinlicher</translation>
    </message>
    <message>
        <source>Presence penalty</source>
        <translation>Präsenzstrafe</translation>
    </message>
    <message>
        <source>Above 0, tokens that were used already become less likely</source>
        <translation>Über 0 werden schon benutzte Tokens unwahrscheinlicher</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>Startwert</translation>
    </message>
    <message>
        <source>The same seed, settings and text give the same answer</source>
        <translation>Gleicher Startwert, gleiche Einstellungen und gleicher Text ergeben die gleiche Antwort</translation>
    </message>
    <message>
        <source>new each time</source>
        <translation>jedes Mal neu</translation>
    </message>
    <message>
        <source>Longest answer</source>
        <translation>Längste Antwort</translation>
    </message>
    <message>
        <source>In tokens</source>
        <translation>In Tokens</translation>
    </message>
    <message>
        <source>until full</source>
        <translation>bis voll</translation>
    </message>
    <message>
        <source>System prompt</source>
        <translation>Systemprompt</translation>
    </message>
    <message>
        <source>System prompt from the library</source>
        <translation>Systemprompt aus der Bibliothek</translation>
    </message>
    <message>
        <source>Keep this prompt in the library</source>
        <translation>Diesen Prompt in der Bibliothek behalten</translation>
    </message>
    <message>
        <source>Save prompt</source>
        <translation>Prompt speichern</translation>
    </message>
    <message>
        <source>Delete this prompt of yours</source>
        <translation>Diesen eigenen Prompt löschen</translation>
    </message>
    <message>
        <source>As written below</source>
        <translation>Wie unten geschrieben</translation>
    </message>
    <message>
        <source>How the model should behave in this conversation</source>
        <translation>Wie sich das Modell in dieser Unterhaltung verhalten soll</translation>
    </message>
    <message>
        <source>When the context is full</source>
        <translation>Wenn der Kontext voll ist</translation>
    </message>
    <message>
        <source>Stop, and ask me</source>
        <translation>Anhalten und fragen</translation>
    </message>
    <message>
        <source>Drop the oldest turns</source>
        <translation>Älteste Beiträge weglassen</translation>
    </message>
    <message>
        <source>Summarise the oldest turns</source>
        <translation>Älteste Beiträge zusammenfassen</translation>
    </message>
    <message>
        <source>The conversation keeps all turns; what is dropped is no longer sent to the model</source>
        <translation>Die Unterhaltung behält alle Beiträge; was weggelassen wird, geht nicht mehr an das Modell</translation>
    </message>
    <message>
        <source>Use for new conversations</source>
        <translation>Für neue Unterhaltungen verwenden</translation>
    </message>
    <message>
        <source>New conversations, and those whose options nobody changed, have what stands above</source>
        <translation>Neue Unterhaltungen und solche, deren Optionen niemand geändert hat, bekommen das, was oben steht</translation>
    </message>
    <message>
        <source>As new conversations have it</source>
        <translation>Wie neue Unterhaltungen</translation>
    </message>
    <message>
        <source>This conversation has no options of its own</source>
        <translation>Diese Unterhaltung hat keine eigenen Optionen</translation>
    </message>
    <message>
        <source>Thinking</source>
        <translation>Denken</translation>
    </message>
    <message>
        <source>How much the model thinks before it answers</source>
        <translation>Wie viel das Modell vor der Antwort nachdenkt</translation>
    </message>
    <message>
        <source>As the model likes</source>
        <translation>Wie das Modell will</translation>
    </message>
    <message>
        <source>Off</source>
        <translation>Aus</translation>
    </message>
    <message>
        <source>On</source>
        <translation>Ein</translation>
    </message>
    <message>
        <source>Low</source>
        <translation>Wenig</translation>
    </message>
    <message>
        <source>Medium</source>
        <translation>Mittel</translation>
    </message>
    <message>
        <source>High</source>
        <translation>Viel</translation>
    </message>
    <message>
        <source>Preset</source>
        <translation>Voreinstellung</translation>
    </message>
    <message>
        <source>Keep these numbers as a preset of your own</source>
        <translation>Diese Zahlen als eigene Voreinstellung behalten</translation>
    </message>
    <message>
        <source>Save preset</source>
        <translation>Voreinstellung speichern</translation>
    </message>
    <message>
        <source>Delete this preset of yours</source>
        <translation>Diese eigene Voreinstellung löschen</translation>
    </message>
    <message>
        <source>Custom</source>
        <translation>Eigene Werte</translation>
    </message>
</context>
<context>
    <name>headroom::ui::SegmentBar</name>
    <message>
        <source>%1 %2</source>
        <translation>%1 %2</translation>
    </message>
</context>
<context>
    <name>headroom::ui::SegmentTableModel</name>
    <message>
        <source>of one step</source>
        <translation>eines Schritts</translation>
    </message>
    <message>
        <source>to whole pages</source>
        <translation>auf ganze Seiten</translation>
    </message>
    <message>
        <source>for the next token</source>
        <translation>für das nächste Token</translation>
    </message>
    <message>
        <source>one layer&apos;s, for prompts</source>
        <translation>je eine Schicht, für Prompts</translation>
    </message>
    <message>
        <source>sampling and copies</source>
        <translation>Sampling und Kopien</translation>
    </message>
    <message>
        <source>Tokenizer and tables</source>
        <translation>Tokenizer und Tabellen</translation>
    </message>
    <message>
        <source>measured</source>
        <translation>gemessen</translation>
    </message>
    <message>
        <source>estimated</source>
        <translation>geschätzt</translation>
    </message>
    <message>
        <source>Reading prompts</source>
        <translation>Lesen von Prompts</translation>
    </message>
    <message>
        <source>at most</source>
        <translation>höchstens</translation>
    </message>
    <message>
        <source>assumed</source>
        <translation>angenommen</translation>
    </message>
    <message>
        <source>%1, %2, on %3: %4</source>
        <translation>%1, %2, %3: %4</translation>
    </message>
    <message>
        <source>Segment</source>
        <translation>Segment</translation>
    </message>
    <message>
        <source>Holds</source>
        <translation>Inhalt</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>Gerät</translation>
    </message>
    <message>
        <source>Bytes</source>
        <translation>Bytes</translation>
    </message>
    <message numerus="yes">
        <source>%1, %n tensors</source>
        <translation>
            <numerusform>%1, %n Tensor</numerusform>
            <numerusform>%1, %n Tensoren</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1, %n layers</source>
        <translation>
            <numerusform>%1, %n Schicht</numerusform>
            <numerusform>%1, %n Schichten</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>headroom::ui::SettingsDialog</name>
    <message>
        <source>Settings</source>
        <translation>Einstellungen</translation>
    </message>
    <message>
        <source>Pages of settings</source>
        <translation>Seiten der Einstellungen</translation>
    </message>
    <message>
        <source>General</source>
        <translation>Allgemein</translation>
    </message>
    <message>
        <source>Appearance</source>
        <translation>Erscheinungsbild</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>Modelle</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>Geräte</translation>
    </message>
    <message>
        <source>Privacy</source>
        <translation>Datenschutz</translation>
    </message>
</context>
<context>
    <name>headroom::ui::ShortcutsDialog</name>
    <message>
        <source>Keyboard shortcuts</source>
        <translation>Tastenkürzel</translation>
    </message>
    <message>
        <source>Filter by what it does or by its keys</source>
        <translation>Nach Wirkung oder Tasten filtern</translation>
    </message>
    <message>
        <source>What it does</source>
        <translation>Wirkung</translation>
    </message>
    <message>
        <source>Keys</source>
        <translation>Tasten</translation>
    </message>
</context>
<context>
    <name>headroom::ui::ThinkingRow</name>
    <message>
        <source>Hide what the model thought</source>
        <translation>Gedanken des Modells ausblenden</translation>
    </message>
    <message>
        <source>Show what the model thought</source>
        <translation>Gedanken des Modells anzeigen</translation>
    </message>
</context>
<context>
    <name>headroom::ui::TimelineChart</name>
    <message>
        <source>Memory over time</source>
        <translation>Speicher im Zeitverlauf</translation>
    </message>
    <message>
        <source>Stacked areas of each memory segment; the legend beside it gives the same figures as text.</source>
        <translation>Gestapelte Flächen der einzelnen Speichersegmente; die Legende daneben gibt dieselben Zahlen als Text.</translation>
    </message>
    <message>
        <source>plan %1</source>
        <translation>Plan %1</translation>
    </message>
    <message>
        <source>%1: %2 at %3
%4</source>
        <translation>%1: %2 um %3
%4</translation>
    </message>
</context>
<context>
    <name>headroom::ui::Transfer</name>
    <message>
        <source>The folder %1 cannot be made</source>
        <translation>Der Ordner %1 kann nicht angelegt werden</translation>
    </message>
    <message>
        <source>%1 is in the folder %2 already, and is another file. Move it away, or remove it, and try again</source>
        <translation>%1 liegt schon im Ordner %2 und ist eine andere Datei. Verschieben oder entfernen Sie sie, und versuchen Sie es erneut</translation>
    </message>
    <message>
        <source>Another Headroom fetches this file already</source>
        <translation>Ein anderes Headroom lädt diese Datei schon herunter</translation>
    </message>
    <message>
        <source>The folder %1 cannot be written to</source>
        <translation>In den Ordner %1 kann nicht geschrieben werden</translation>
    </message>
    <message>
        <source>The disk lacks %1: %2 are still to come, %3 stay free, and %4 are free in %5</source>
        <translation>Auf der Platte fehlen %1: %2 stehen noch aus, %3 sollen frei bleiben, und in %5 sind %4 frei</translation>
    </message>
    <message>
        <source>The disk is nearly full: %1 are free in %2, and %3 stay free. Make room and go on</source>
        <translation>Die Platte ist fast voll: In %2 sind %1 frei, und %3 sollen frei bleiben. Schaffen Sie Platz, und setzen Sie den Download fort</translation>
    </message>
    <message>
        <source>The folder %1 cannot be written to: %2</source>
        <translation>In den Ordner %1 kann nicht geschrieben werden: %2</translation>
    </message>
    <message>
        <source>%1 cannot be written: %2</source>
        <translation>%1 kann nicht geschrieben werden: %2</translation>
    </message>
    <message>
        <source>%1 changes on its server again and again</source>
        <translation>%1 ändert sich auf dem Server immer wieder</translation>
    </message>
    <message>
        <source>%1 has become another file on its server: it is fetched from its beginning</source>
        <translation>%1 ist auf dem Server eine andere Datei geworden: Sie wird von Anfang an heruntergeladen</translation>
    </message>
    <message>
        <source>%1 is not on its server any more</source>
        <translation>%1 liegt nicht mehr auf dem Server</translation>
    </message>
    <message>
        <source>The server does not say how long %1 is</source>
        <translation>Der Server sagt nicht, wie lang %1 ist</translation>
    </message>
    <message>
        <source>%1 has changed on its server: it is fetched from its beginning</source>
        <translation>%1 hat sich auf dem Server geändert: Die Datei wird von Anfang an heruntergeladen</translation>
    </message>
    <message>
        <source>The server cannot go on in the middle of %1: it is fetched from its beginning</source>
        <translation>Der Server kann mitten in %1 nicht fortfahren: Die Datei wird von Anfang an heruntergeladen</translation>
    </message>
    <message>
        <source>The server announces %1 for %2, expected were %3</source>
        <translation>Der Server kündigt %1 für %2 an, erwartet wurden %3</translation>
    </message>
    <message>
        <source>The server sends a stretch of %1 and does not say which</source>
        <translation>Der Server sendet einen Abschnitt von %1 und sagt nicht, welchen</translation>
    </message>
    <message>
        <source>The server sends %1 from byte %2 on, asked for was byte %3</source>
        <translation>Der Server sendet %1 ab Byte %2, verlangt war Byte %3</translation>
    </message>
    <message>
        <source>The server says that %1 has %2, expected were %3</source>
        <translation>Der Server sagt, %1 habe %2, erwartet wurden %3</translation>
    </message>
    <message>
        <source>The server announces %1 of %2 and then says %3</source>
        <translation>Der Server kündigt %1 von %2 an und nennt dann %3</translation>
    </message>
    <message>
        <source>The disk is full: %1 are still to come. Make room and go on</source>
        <translation>Die Platte ist voll: %1 stehen noch aus. Schaffen Sie Platz, und setzen Sie den Download fort</translation>
    </message>
    <message>
        <source>The server sends more of %1 than the %2 that it has</source>
        <translation>Der Server sendet mehr von %1 als die %2, die es hat</translation>
    </message>
    <message>
        <source>The server ended %1 too early</source>
        <translation>Der Server hat %1 zu früh beendet</translation>
    </message>
    <message>
        <source>%1 cannot be read back from the disk</source>
        <translation>%1 kann von der Platte nicht zurückgelesen werden</translation>
    </message>
    <message>
        <source>What came of %1 is not what the hub lists: its checksum is another one. It was deleted</source>
        <translation>Was von %1 ankam, ist nicht, was der Hub auflistet: Die Prüfsumme ist eine andere. Es wurde gelöscht</translation>
    </message>
    <message>
        <source>%1 cannot be given its name</source>
        <translation>%1 kann nicht seinen Namen bekommen</translation>
    </message>
</context>
<context>
    <name>headroom::ui::VerdictView</name>
    <message>
        <source>Verdict</source>
        <translation>Urteil</translation>
    </message>
    <message>
        <source>How fast answers come, as far as it can be told before the model is loaded</source>
        <translation>Wie schnell Antworten kommen, soweit sich das vor dem Laden sagen lässt</translation>
    </message>
    <message>
        <source>&amp;Load</source>
        <translation>&amp;Laden</translation>
    </message>
    <message>
        <source>Ca&amp;ncel</source>
        <translation>Abbreche&amp;n</translation>
    </message>
    <message>
        <source>Loading</source>
        <translation>Ladevorgang</translation>
    </message>
    <message>
        <source>Re&amp;load</source>
        <translation>Neu &amp;laden</translation>
    </message>
    <message>
        <source>Cancelling…</source>
        <translation>Wird abgebrochen …</translation>
    </message>
    <message>
        <source>Reserving memory…</source>
        <translation>Speicher wird reserviert …</translation>
    </message>
    <message>
        <source>A device of this model was lost: reloading opens it anew.</source>
        <translation>Ein Gerät dieses Modells ging verloren: Neu laden öffnet es wieder.</translation>
    </message>
    <message>
        <source>Loaded in %1 with exactly this plan.</source>
        <translation>In %1 mit genau diesem Plan geladen.</translation>
    </message>
    <message>
        <source>Changed: reloading keeps the weights and maps the rest anew.</source>
        <translation>Geändert: Neu laden behält die Gewichte und belegt den Rest neu.</translation>
    </message>
    <message>
        <source>Changed: reloading moves the weights too.</source>
        <translation>Geändert: Neu laden verschiebt auch die Gewichte.</translation>
    </message>
    <message>
        <source>The file was written anew: reloading reads it.</source>
        <translation>Die Datei wurde neu geschrieben: Neu laden liest sie.</translation>
    </message>
</context>
<context>
    <name>headroom::ui::VerifyDialog</name>
    <message>
        <source>Verify this plan</source>
        <translation>Diesen Plan prüfen</translation>
    </message>
    <message>
        <source>&amp;Verify</source>
        <translation>&amp;Prüfen</translation>
    </message>
    <message>
        <source>&amp;Stop</source>
        <translation>&amp;Stopp</translation>
    </message>
    <message>
        <source>Save a &amp;report…</source>
        <translation>&amp;Bericht speichern …</translation>
    </message>
    <message>
        <source>&amp;Close</source>
        <translation>S&amp;chließen</translation>
    </message>
    <message>
        <source>Does %1 take exactly what was planned?</source>
        <translation>Belegt %1 genau das, was geplant war?</translation>
    </message>
    <message>
        <source>The context of %1 tokens is filled to its end, and the speed of answers is measured at its beginning, half and end. Then %2 short answers are written one after the other.</source>
        <translation>Der Kontext von %1 Tokens wird bis zum Ende gefüllt und die Geschwindigkeit der Antworten am Anfang, in der Mitte und am Ende gemessen. Dann werden %2 kurze Antworten nacheinander geschrieben.</translation>
    </message>
    <message>
        <source>The contexts of all %1 slots, of %2 tokens each, are filled to their end, and the speed of answers is measured at the beginning, half and end of one. Then %3 short answers are written one after the other.</source>
        <translation>Die Kontexte aller %1 Slots zu je %2 Tokens werden bis zum Ende gefüllt und die Geschwindigkeit der Antworten am Anfang, in der Mitte und am Ende von einem davon gemessen. Dann werden %3 kurze Antworten nacheinander geschrieben.</translation>
    </message>
    <message>
        <source>Meanwhile the memory of each device is watched; the chart goes on.</source>
        <translation>Währenddessen wird der Speicher jedes Geräts beobachtet; das Diagramm läuft weiter.</translation>
    </message>
    <message>
        <source>It takes about %1, and can be stopped at any time.</source>
        <translation>Es dauert etwa %1 und lässt sich jederzeit anhalten.</translation>
    </message>
    <message>
        <source>How long it takes is not known. It can be stopped at any time.</source>
        <translation>Wie lange es dauert, ist nicht bekannt. Es lässt sich jederzeit anhalten.</translation>
    </message>
    <message>
        <source>Conversations stay as they are, but their caches are used for it: the next answer of each reads its conversation again first.</source>
        <translation>Unterhaltungen bleiben, wie sie sind; genutzt werden aber ihre Caches: Die nächste Antwort in jeder liest die Unterhaltung zuerst neu ein.</translation>
    </message>
    <message>
        <source>How far the verification is</source>
        <translation>Wie weit die Prüfung ist</translation>
    </message>
    <message>
        <source>&amp;Verify again</source>
        <translation>&amp;Erneut prüfen</translation>
    </message>
    <message>
        <source>Filled to the end: %1 of %2 slots of %3 tokens, in %4.</source>
        <translation>Bis zum Ende gefüllt: %1 von %2 Slots zu je %3 Tokens, in %4.</translation>
    </message>
</context>
<context>
    <name>headroom::ui::VerifyResult</name>
    <message>
        <source>%1 planned</source>
        <translation>%1 geplant</translation>
    </message>
    <message>
        <source>%1 of %2 planned</source>
        <translation>%1 von %2 geplant</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>Gerät</translation>
    </message>
    <message>
        <source>Planned</source>
        <translation>Geplant</translation>
    </message>
    <message>
        <source>Mapped</source>
        <translation>Belegt</translation>
    </message>
    <message>
        <source>Driver, at most</source>
        <translation>Treiber, höchstens</translation>
    </message>
    <message>
        <source>This program, at most</source>
        <translation>Dieses Programm, höchstens</translation>
    </message>
    <message>
        <source>Free, at least</source>
        <translation>Frei, mindestens</translation>
    </message>
    <message>
        <source>Speed</source>
        <translation>Geschwindigkeit</translation>
    </message>
    <message>
        <source>Measured</source>
        <translation>Gemessen</translation>
    </message>
    <message>
        <source>Predicted</source>
        <translation>Vorhergesagt</translation>
    </message>
    <message>
        <source>Prompt of %1 tokens</source>
        <translation>Prompt von %1 Tokens</translation>
    </message>
    <message>
        <source>Answer behind %1 positions</source>
        <translation>Antwort nach %1 Positionen</translation>
    </message>
    <message>
        <source>Growth</source>
        <translation>Zuwachs</translation>
    </message>
    <message>
        <source>Drivers</source>
        <translation>Treiber</translation>
    </message>
    <message>
        <source>Heap</source>
        <translation>Heap</translation>
    </message>
    <message>
        <source>Mappings</source>
        <translation>Mappings</translation>
    </message>
    <message>
        <source>Arenas</source>
        <translation>Arenen</translation>
    </message>
    <message>
        <source>Over %1 answers</source>
        <translation>Über %1 Antworten</translation>
    </message>
    <message>
        <source>Since load</source>
        <translation>Seit dem Laden</translation>
    </message>
    <message>
        <source>Heap and mappings are of the whole program: this window is in them.</source>
        <translation>Heap und Mappings gelten für das ganze Programm, dieses Fenster eingeschlossen.</translation>
    </message>
</context>
<context>
    <name>headroom::ui::VramPanel</name>
    <message>
        <source>Device whose history is shown</source>
        <translation>Gerät, dessen Verlauf gezeigt wird</translation>
    </message>
    <message>
        <source>Ours alone</source>
        <translation>Nur Headroom</translation>
    </message>
    <message>
        <source>Chart and bars show only what this program holds, as large as there is room for</source>
        <translation>Diagramm und Balken zeigen nur, was dieses Programm belegt, so groß, wie Platz ist</translation>
    </message>
    <message>
        <source>Legend: each segment now and as planned</source>
        <translation>Legende: jedes Segment jetzt und nach Plan</translation>
    </message>
    <message>
        <source>Press Enter or double-click to list what a segment holds</source>
        <translation>Enter oder Doppelklick listet auf, was ein Segment enthält</translation>
    </message>
    <message>
        <source>Reserved by the load</source>
        <translation>Beim Laden reserviert</translation>
    </message>
    <message>
        <source>Weights, cache and activations. What drivers, tokenizer and tables take is beside this.</source>
        <translation>Gewichte, Cache und Aktivierungen. Was Treiber, Tokenizer und Tabellen brauchen, kommt hinzu.</translation>
    </message>
    <message>
        <source>Predicted</source>
        <translation>Vorhergesagt</translation>
    </message>
    <message>
        <source>Actual</source>
        <translation>Tatsächlich</translation>
    </message>
    <message>
        <source>Difference</source>
        <translation>Differenz</translation>
    </message>
    <message>
        <source>Beside the arenas of the plan: what drivers hold more, and what this program holds more of ordinary memory, the text and pictures of its window among it</source>
        <translation>Neben den Arenen des Plans: was Treiber zusätzlich belegen und was dieses Programm zusätzlich an Arbeitsspeicher belegt, darunter Text und Bilder seines Fensters</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>Export</translation>
    </message>
    <message>
        <source>Save the chart as a picture, or its figures as a table</source>
        <translation>Das Diagramm als Bild oder seine Zahlen als Tabelle speichern</translation>
    </message>
    <message>
        <source>&amp;PNG picture…</source>
        <translation>&amp;PNG-Bild …</translation>
    </message>
    <message>
        <source>&amp;SVG picture…</source>
        <translation>&amp;SVG-Bild …</translation>
    </message>
    <message>
        <source>&amp;CSV table…</source>
        <translation>&amp;CSV-Tabelle …</translation>
    </message>
    <message>
        <source>&amp;JSON…</source>
        <translation>&amp;JSON …</translation>
    </message>
    <message>
        <source>Host memory</source>
        <translation>RAM</translation>
    </message>
    <message>
        <source>Memory of this machine, beside its %1</source>
        <translation>Speicher dieses Rechners, neben %1</translation>
    </message>
    <message>
        <source>Waiting for the first reading.</source>
        <translation>Wartet auf die erste Messung.</translation>
    </message>
    <message>
        <source>%1 is not in this machine, so there is nothing to measure.</source>
        <translation>%1 ist nicht in diesem Rechner; es gibt also nichts zu messen.</translation>
    </message>
    <message>
        <source>Nothing is loaded.</source>
        <translation>Nichts geladen.</translation>
    </message>
    <message>
        <source>Taken since load: %1</source>
        <translation>Belegt seit dem Laden: %1</translation>
    </message>
    <message>
        <source>Export the chart</source>
        <translation>Diagramm exportieren</translation>
    </message>
</context>
<context>
    <name>headroom::ui::WindowMenus</name>
    <message>
        <source>&amp;File</source>
        <translation>&amp;Datei</translation>
    </message>
    <message>
        <source>&amp;Open model…</source>
        <translation>Modell ö&amp;ffnen …</translation>
    </message>
    <message>
        <source>Read a model&apos;s header and show what it would take; nothing is loaded yet</source>
        <translation>Den Header eines Modells lesen und zeigen, was es belegen würde; geladen wird noch nichts</translation>
    </message>
    <message>
        <source>&amp;Recent files</source>
        <translation>&amp;Zuletzt verwendet</translation>
    </message>
    <message>
        <source>Open the &amp;starter model</source>
        <translation>&amp;Startmodell öffnen</translation>
    </message>
    <message>
        <source>&amp;Close model</source>
        <translation>Modell s&amp;chließen</translation>
    </message>
    <message>
        <source>Give back all memory that the model holds</source>
        <translation>Gibt allen Speicher frei, den das Modell belegt</translation>
    </message>
    <message>
        <source>S&amp;ettings…</source>
        <translation>&amp;Einstellungen …</translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation>&amp;Beenden</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>&amp;Ansicht</translation>
    </message>
    <message>
        <source>&amp;Write a message</source>
        <translation>&amp;Nachricht schreiben</translation>
    </message>
    <message>
        <source>&amp;Reset layout</source>
        <translation>Anordnung &amp;zurücksetzen</translation>
    </message>
    <message>
        <source>&amp;Theme</source>
        <translation>&amp;Design</translation>
    </message>
    <message>
        <source>As the &amp;system</source>
        <translation>Wie das &amp;System</translation>
    </message>
    <message>
        <source>&amp;Light</source>
        <translation>&amp;Hell</translation>
    </message>
    <message>
        <source>&amp;Dark</source>
        <translation>&amp;Dunkel</translation>
    </message>
    <message>
        <source>Te&amp;xt size</source>
        <translation>&amp;Textgröße</translation>
    </message>
    <message>
        <source>&amp;Larger</source>
        <translation>&amp;Größer</translation>
    </message>
    <message>
        <source>&amp;Smaller</source>
        <translation>&amp;Kleiner</translation>
    </message>
    <message>
        <source>As &amp;usual</source>
        <translation>&amp;Normal</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>&amp;Hilfe</translation>
    </message>
    <message>
        <source>What the &amp;starter model is</source>
        <translation>Über das &amp;Startmodell</translation>
    </message>
    <message>
        <source>&amp;Check the graphics cards again</source>
        <translation>&amp;Grafikkarten erneut prüfen</translation>
    </message>
    <message>
        <source>Whether each computes what the CPU computes, as at its first start</source>
        <translation>Ob jede rechnet, was die CPU rechnet, wie bei ihrer ersten Nutzung</translation>
    </message>
    <message>
        <source>&amp;Verify this plan…</source>
        <translation>Diesen &amp;Plan prüfen …</translation>
    </message>
    <message>
        <source>Fill the context of the loaded model to its end and hold what it takes against the plan</source>
        <translation>Den Kontext des geladenen Modells bis zum Ende füllen und die Belegung mit dem Plan vergleichen</translation>
    </message>
    <message>
        <source>Save a &amp;report…</source>
        <translation>&amp;Bericht speichern …</translation>
    </message>
    <message>
        <source>Hardware, versions, plan and figures in one file; nothing of any conversation</source>
        <translation>Hardware, Versionen, Plan und Zahlen in einer Datei; nichts aus Unterhaltungen</translation>
    </message>
    <message>
        <source>&amp;About Headroom</source>
        <translation>Über &amp;Headroom</translation>
    </message>
    <message>
        <source>&amp;Clear this list</source>
        <translation>&amp;Liste leeren</translation>
    </message>
    <message>
        <source>&amp;Keyboard shortcuts…</source>
        <translation>&amp;Tastenkürzel …</translation>
    </message>
</context>
</TS>
