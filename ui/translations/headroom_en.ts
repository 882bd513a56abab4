<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en" sourcelanguage="en">
<context>
    <name>Attachment</name>
    <message numerus="yes">
        <source>%1 has no text on its %2 pages, as scanned pages have none; Headroom reads no pictures.</source>
        <translation>
            <numerusform>%1 has no text on its %2 page, as scanned pages have none; Headroom reads no pictures.</numerusform>
            <numerusform>%1 has no text on its %2 pages, as scanned pages have none; Headroom reads no pictures.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>LibraryEntry</name>
    <message numerus="yes">
        <source>%n of %1 parts missing</source>
        <translation>
            <numerusform>%n of %1 parts missing</numerusform>
            <numerusform>%n of %1 parts missing</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>QObject</name>
    <message numerus="yes">
        <source>%1 · %2 tokens</source>
        <translation>
            <numerusform>%1 · %2 token</numerusform>
            <numerusform>%1 · %2 tokens</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>headroom::ui::AttachmentViewer</name>
    <message numerus="yes">
        <source>%1 lines</source>
        <translation>
            <numerusform>%1 line</numerusform>
            <numerusform>%1 lines</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 tokens</source>
        <translation>
            <numerusform>%1 token</numerusform>
            <numerusform>%1 tokens</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>headroom::ui::CalculatorState</name>
    <message numerus="yes">
        <source>The FFN of %1 layers was asked to be on the CPU; only %n layers are on GPUs, so these are.</source>
        <translation>
            <numerusform>The FFN of %1 layers was asked to be on the CPU; only %n layer is on a GPU, so it is.</numerusform>
            <numerusform>The FFN of %1 layers was asked to be on the CPU; only %n layers are on GPUs, so these are.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>headroom::ui::DownloadPanel</name>
    <message numerus="yes">
        <source>%n parts</source>
        <translation>
            <numerusform>%n part</numerusform>
            <numerusform>%n parts</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>headroom::ui::FooterRow</name>
    <message numerus="yes">
        <source>%1 tokens</source>
        <translation>
            <numerusform>%1 token</numerusform>
            <numerusform>%1 tokens</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>headroom::ui::LayersEdit</name>
    <message numerus="yes">
        <source>%n layers on GPUs</source>
        <translation>
            <numerusform>%n layer on GPUs</numerusform>
            <numerusform>%n layers on GPUs</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>FFN of %n layers on the CPU</source>
        <translation>
            <numerusform>FFN of %n layer on the CPU</numerusform>
            <numerusform>FFN of %n layers on the CPU</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>headroom::ui::LibraryPage</name>
    <message numerus="yes">
        <source>Its %n models come back with it.</source>
        <translation>
            <numerusform>Its model comes back with it.</numerusform>
            <numerusform>Its %n models come back with it.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n models</source>
        <translation>
            <numerusform>%n model</numerusform>
            <numerusform>%n models</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Move %1 to the trash? Its %n files have %2.</source>
        <translation>
            <numerusform>Move %1 to the trash? Its file has %2.</numerusform>
            <numerusform>Move %1 to the trash? Its %n files have %2.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>headroom::ui::MessageBar</name>
    <message numerus="yes">
        <source>%n more</source>
        <translation>
            <numerusform>%n more</numerusform>
            <numerusform>%n more</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>headroom::ui::ModelCard</name>
    <message numerus="yes">
        <source>%n layers</source>
        <translation>
            <numerusform>%n layer</numerusform>
            <numerusform>%n layers</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>headroom::ui::RegionDialog</name>
    <message numerus="yes">
        <source>%1 in %2 regions. %3</source>
        <translation>
            <numerusform>%1 in %2 region. %3</numerusform>
            <numerusform>%1 in %2 regions. %3</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>headroom::ui::SegmentTableModel</name>
    <message numerus="yes">
        <source>%1, %n tensors</source>
        <translation>
            <numerusform>%1, %n tensor</numerusform>
            <numerusform>%1, %n tensors</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1, %n layers</source>
        <translation>
            <numerusform>%1, %n layer</numerusform>
            <numerusform>%1, %n layers</numerusform>
        </translation>
    </message>
</context>
</TS>
